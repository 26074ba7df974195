"""What the texts of this bundle compute: sample by sample, table by table, figure by figure.

`judge statement` calls `values` with the bundle's material (its problem, samples, cases, reference,
starter, known mistakes), and passes the result to the templates, `figures` and `inserts`.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import costs, explorer, facts, lesson, norms, worked
from . import figures as figures_
from . import pitfalls as pitfalls_
from .references import WORKS, Citations
from .trace import trace

__all__ = ["WORKS", "figures", "inserts", "values"]

SHOWN_DIGITS = 4
"""Decimals of every rounded output in the statement and the worked example."""

WORKED = "sample/two-heads"
"""The sample that the theory page works through."""

TITLES = {
    "sample/single-token": "a single token",
    "sample/two-tokens": "two tokens",
    "sample/mirrored-tokens": "two tokens that mirror each other",
    "sample/two-heads": "two heads",
}

COST_LENGTH = 512
"""Sequence length at which the costs of the paper's block are told."""

ACTIVATION_INPUTS = (-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)


def values(material: Any) -> dict[str, Any]:
    """Return everything the templates may use, by name.

    Args:
        material: `problem`, `samples`, `cases`, `reference` (the module), `starter` and `mistakes`.
    """
    reference = material.reference
    names = [sample.name for sample in material.samples]
    number = names.index(WORKED) + 1
    sample = material.samples[number - 1]
    pitfalls = pitfalls_.collect(material, sample)
    return {
        **_problem(material),
        **_published(),
        "infinity": math.inf,
        "overflow": math.log(sys.float_info.max),
        "counter": lambda: itertools.count(1).__next__,
        "features": [f"feature {feature}" for feature in range(sample.inputs["x"].shape[-1])],
        "tokens": [f"token {token}" for token in range(sample.inputs["x"].shape[1])],
        "samples": [_sample(each, reference) for each in material.samples],
        "first_sample": material.samples[0],
        "pitfalls": pitfalls,
        "pitfall_counts": _counts(pitfalls, set(names)),
        "stages": pitfalls_.by_stage(pitfalls),
        "margins": pitfalls_.margins(material),
        "lesson": lesson.values(reference),
        "norms": norms.values(reference, sample.inputs),
        "worked": worked.values(reference, sample, number, TITLES[WORKED]),
        "explorer": explorer.values(material, TITLES),
    }


def figures(computed: dict[str, Any]) -> dict[str, str]:
    """Return every figure as SVG text, by file name without ending."""
    return figures_.draw(computed)


def inserts(computed: dict[str, Any]) -> dict[str, Any]:
    """Return what the page has beyond the texts, by the name that a text asks for."""
    return explorer.inserts(computed["explorer"])


def _problem(material: Any) -> dict[str, Any]:
    """What the statement says of the bundle as a whole."""
    groups = [case.group for case in material.cases]
    return {
        "epsilon": material.reference.EPSILON,
        "shown_digits": SHOWN_DIGITS,
        "sizes": {
            "total": len(groups),
            "sample": groups.count("sample"),
            "secret": groups.count("secret"),
        },
        "equal_weights": len(set(material.problem.weights.values())) == 1,
        "starter": material.starter.rstrip("\n"),
    }


def _published() -> dict[str, Any]:
    """Facts from papers, and what follows from them."""
    paper = facts.PAPER
    return {
        "cite": Citations(),
        "facts": facts,
        "sizes_of_models": [
            {"model": model, "counts": costs.parameters(model)} for model in facts.MODELS
        ],
        "wide": costs.one_wide_block(paper, COST_LENGTH),
        "cost": {
            "T": COST_LENGTH,
            "parts": costs.multiplications(COST_LENGTH, paper.d_model, paper.d_ff),
            "crossing": costs.crossing(paper),
            "weights": paper.heads * COST_LENGTH**2,
        },
        "activations": [
            {"input": x, "relu": max(x, 0.0), "gelu": figures_.gelu(x)} for x in ACTIVATION_INPUTS
        ],
    }


def _sample(sample: Any, reference: Any) -> dict[str, Any]:
    """What the statement shows of one sample."""
    return {
        "name": sample.name,
        "title": TITLES[sample.name],
        "inputs": dict(sample.inputs),
        "expected": sample.expected,
        "neutral": _is_neutral(sample.inputs),
        "trace": trace(reference, sample.inputs),
    }


def _is_neutral(inputs: Mapping[str, Any]) -> bool:
    """Whether projections are identities, biases and shifts zero, and scales one."""
    projections = all(
        np.array_equal(inputs[name], np.eye(len(inputs[name])))
        for name in ("W_q", "W_k", "W_v", "W_o")
    )
    zeros = not any(inputs[name].any() for name in ("b1", "b2", "beta1", "beta2"))
    return projections and zeros and all((inputs[name] == 1).all() for name in ("gamma1", "gamma2"))


def _counts(pitfalls: dict[str, pitfalls_.Pitfall], samples: set[str]) -> dict[str, int]:
    """How many mistakes there are, and how many the examples would let through."""

    def passing(names: set[str]) -> int:
        return sum(names <= pitfall.passed for pitfall in pitfalls.values())

    return {
        "all": len(pitfalls),
        "pass_others": passing(samples - {WORKED}),
        "pass_all": passing(samples),
    }
