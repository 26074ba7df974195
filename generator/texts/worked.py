"""The worked example: the last sample, table by table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .trace import Array, Trace, trace

PRINTED_DIGITS = 4


def values(reference: Any, sample: Any, number: int, title: str) -> dict[str, Any]:
    """Return every table of the worked example.

    Args:
        reference: the reference module.
        sample: the sample that is worked through.
        number: its number among the examples, from 1.
        title: its title in the statement.
    """
    steps = trace(reference, sample.inputs)
    heads, tokens = steps.logits.shape[:2]
    pairs = [f"head {head}, token {token}" for head in range(heads) for token in range(tokens)]
    units = [f"unit {unit}" for unit in range(steps.hidden.shape[1])]
    features = range(steps.x.shape[1])
    weights = np.vstack(list(steps.weights))
    return {
        "number": number,
        "title": title,
        "inputs": dict(sample.inputs),
        "expected": sample.expected,
        "trace": steps,
        "projected": np.vstack([_merged(part) for part in (steps.Q, steps.K, steps.V)]),
        "projected_rows": [f"{name}, token {token}" for name in "QKV" for token in range(tokens)],
        "projected_columns": [f"feature {feature}" for feature in features],
        "pair_rows": pairs,
        "logits": np.vstack(list(steps.logits)),
        "weights": np.hstack([weights, weights.sum(axis=1, keepdims=True)]),
        "column_sums": steps.weights[0].sum(axis=0),
        "first_sum": _with_moments(steps.residual1),
        "second_sum": _with_moments(steps.residual2),
        "hidden_table": np.hstack([steps.widened, steps.hidden]),
        "hidden_rows": [f"token {token}" for token in range(tokens)],
        "hidden_columns": [
            *(f"{unit}, before" for unit in units),
            *(f"{unit}, after" for unit in units),
        ],
        "hidden_units": units,
        "clipped": int((steps.hidden == 0).sum()),
        "printed": _printed(steps),
        "shapes": _shapes(sample.inputs, steps),
    }


def _merged(heads: Array) -> Array:
    """Put the heads of one sequence side by side: (h, T, d_k) to (T, h d_k)."""
    return np.hstack(list(heads))


def _with_moments(rows: Array) -> Array:
    """Append each row's mean and population variance."""
    return np.hstack([rows, rows.mean(axis=1, keepdims=True), rows.var(axis=1, keepdims=True)])


def _printed(steps: Trace) -> str:
    """Return what the page's NumPy script prints."""
    lines = []
    for head, weights in enumerate(steps.weights):
        lines += [f"weights of head {head}", str(weights.round(PRINTED_DIGITS))]
    return "\n".join([*lines, "y", str(steps.y.round(PRINTED_DIGITS))])


def _shapes(inputs: Mapping[str, Any], steps: Trace) -> list[dict[str, str]]:
    """Name the axes of every intermediate array, and give its shape in this example."""
    batch = len(inputs["x"])
    positions = "(batch, sequence, d_model)"
    rows = (
        ("x", positions, steps.x),
        ("Q, K, V after the split", "(batch, heads, sequence, d_k)", steps.Q),
        ("logits, weights", "(batch, heads, sequence, sequence)", steps.logits),
        ("context", "(batch, heads, sequence, d_k)", steps.context),
        ("merged heads; MHA(x); z", positions, steps.merged),
        ("hidden", "(batch, sequence, d_ff)", steps.hidden),
        ("y", positions, steps.y),
    )
    return [
        {"array": array, "axes": axes, "shape": str((batch, *values.shape))}
        for array, axes, values in rows
    ]
