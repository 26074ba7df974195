"""What the texts of this bundle compute: sample by sample, table by table, figure by figure.

`judge statement` calls `values` with the bundle's material (its problem, samples, cases, reference,
starter, known mistakes), and passes the result to the templates, `figures` and `inserts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import pitfalls as pitfalls_
from . import trace as tracing

SHOWN_DIGITS = 4
"""Decimals of every rounded output in the statement."""

WORKED = "sample/two-heads"
"""The sample that the theory page works through."""

TITLES = {
    "sample/single-token": "a single token",
    "sample/two-tokens": "two tokens",
    "sample/mirrored-tokens": "two tokens that mirror each other",
    "sample/two-heads": "two heads",
}


def values(material: Any) -> dict[str, Any]:
    """Return everything the templates may use, by name.

    Args:
        material: `problem`, `samples`, `cases`, `reference` (the module), `starter` and `mistakes`.
    """
    problem = material.problem
    groups = [case.group for case in material.cases]
    worked = next(sample for sample in material.samples if sample.name == WORKED)
    pitfalls = pitfalls_.collect(material, worked)
    others = {sample.name for sample in material.samples} - {WORKED}
    return {
        "pitfalls": pitfalls,
        "pitfall_counts": {
            "all": len(pitfalls),
            "pass_others": sum(others <= pitfall.passed for pitfall in pitfalls.values()),
            "pass_all": sum(others | {WORKED} <= pitfall.passed for pitfall in pitfalls.values()),
        },
        "epsilon": material.reference.EPSILON,
        "shown_digits": SHOWN_DIGITS,
        "samples": [_sample(sample, material.reference) for sample in material.samples],
        "sizes": {
            "total": len(groups),
            "sample": groups.count("sample"),
            "secret": groups.count("secret"),
        },
        "equal_weights": len(set(problem.weights.values())) == 1,
        "starter": material.starter.rstrip("\n"),
    }


def _sample(sample: Any, reference: Any) -> dict[str, Any]:
    """What the statement shows of one sample."""
    return {
        "name": sample.name,
        "title": TITLES[sample.name],
        "inputs": dict(sample.inputs),
        "expected": sample.expected,
        "neutral": _is_neutral(sample.inputs),
        "trace": tracing.trace(reference, sample.inputs),
    }


def _is_neutral(inputs: Mapping[str, Any]) -> bool:
    """Whether projections are identities, biases and shifts zero, and scales one."""
    projections = all(
        np.array_equal(inputs[name], np.eye(len(inputs[name])))
        for name in ("W_q", "W_k", "W_v", "W_o")
    )
    zeros = not any(inputs[name].any() for name in ("b1", "b2", "beta1", "beta2"))
    return projections and zeros and all((inputs[name] == 1).all() for name in ("gamma1", "gamma2"))
