"""What a layer normalization does to values and to gradients, and what its place changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .facts import MODELS
from .trace import Array, trace

BLOCKS = (1, 2, 3, 4, 5, 6)
"""Depths at which the states of a small stack are measured."""

SCALINGS = (1, 10, 1000)
"""Factors on a row, to show that a layer norm hardly notices."""


def jacobian(row: Array, epsilon: float) -> Array:
    """Return the derivative of a layer norm (gamma = 1) by its input: (d, d).

    With s = sqrt(variance + eps) and the normalized row n it is (I - 1/d - n n^T / d) / s: the
    identity, without the direction of the mean and nearly without that of the row, divided by s.
    """
    width = len(row)
    deviation = math.sqrt(row.var() + epsilon)
    normalized = (row - row.mean()) / deviation
    return np.asarray(
        (np.eye(width) - 1 / width - np.outer(normalized, normalized) / width) / deviation
    )


def values(reference: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything that the theory page shows of norms, on the worked example's inputs."""
    epsilon = reference.EPSILON
    post = trace(reference, inputs)
    pre = trace(reference, inputs, pre_norm=True)
    row = post.residual1[0]
    one, none = np.ones(len(row)), np.zeros(len(row))
    first = np.linalg.svd(jacobian(row, epsilon), compute_uv=False)
    normalized = reference.layer_norm(row, one, none)
    return {
        "post": post,
        "pre": pre,
        "row": row,
        "mean": row.mean(),
        "variance": row.var(),
        "deviation": math.sqrt(row.var() + epsilon),
        "normalized": normalized,
        "normalized_variance": normalized.var(),
        "missing_variance": 1 - normalized.var(),
        "stretch": first.max(),
        "singular_values": first,
        "scaled": [
            {
                "factor": factor,
                "output": reference.layer_norm(factor * row, one, none),
                "change": np.abs(reference.layer_norm(factor * row, one, none) - normalized).max(),
            }
            for factor in SCALINGS
        ],
        "shifted_change": np.abs(reference.layer_norm(row + 100, one, none) - normalized).max(),
        "batch": _batch_against_layer(reference, inputs),
        "identity_path": [
            {"name": model.name, "layers": model.layers, "sub_layers": 2 * model.layers,
             "divisor": 2**model.layers} for model in MODELS
        ],
        "streams": _streams(reference, inputs),
        "compared": [
            {"what": what, "rows": np.vstack([getattr(post, name), getattr(pre, name)])}
            for what, name in (
                ("attention reads", "attention_input"),
                ("after the first half", "z"),
                ("y", "y"),
            )
        ],
        "compared_rows": [
            f"{place}-norm, token {token}"
            for place in ("post", "pre")
            for token in range(len(post.y))
        ],
    }  # fmt: skip


def _batch_against_layer(reference: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Change the second token and see what becomes of the first, normalized either way.

    Over its own features (layer norm) nothing changes; over the rows of the batch (batch norm, as
    in training) it does.
    """
    states = trace(reference, inputs).residual1
    company = np.vstack([states[0], 2 * states[1]])
    one, none = np.ones(states.shape[-1]), np.zeros(states.shape[-1])

    def over_features(rows: Array) -> Array:
        return np.asarray(reference.layer_norm(rows, one, none))

    def over_rows(rows: Array) -> Array:
        deviation = np.sqrt(rows.var(axis=0) + reference.EPSILON)
        return np.asarray((rows - rows.mean(axis=0)) / deviation)

    third = np.vstack([states, company[1]])
    return {
        "layer_change": np.abs(over_features(third)[0] - over_features(states)[0]).max(),
        "batch_change": np.abs(over_rows(third)[0] - over_rows(states)[0]).max(),
    }


def _streams(reference: Any, inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Root mean square of the states after each of several blocks, under post- and pre-norm.

    All blocks share the worked example's weights, with neutral scales and shifts: enough to show
    sizes, though a real stack has weights of its own in every block.
    """
    width = inputs["x"].shape[-1]
    neutral = {
        **inputs,
        "gamma1": np.ones(width),
        "gamma2": np.ones(width),
        "beta1": np.zeros(width),
        "beta2": np.zeros(width),
    }
    rows = []
    post = pre = inputs["x"]
    for blocks in BLOCKS:
        post = trace(reference, {**neutral, "x": post}).y[None]
        pre = trace(reference, {**neutral, "x": pre}, pre_norm=True).y[None]
        rows.append(
            {"blocks": blocks, "post": _root_mean_square(post), "pre": _root_mean_square(pre)}
        )
    return rows


def _root_mean_square(states: Array) -> float:
    return float(np.sqrt((states**2).mean()))
