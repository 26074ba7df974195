"""What each known mistake gives on the worked example, and which examples it would pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

STAGES = {
    "attention": "Attention",
    "softmax": "Softmax",
    "heads": "Heads",
    "residual": "Residuals and order",
    "norm": "Layer normalization",
    "feed-forward": "Feed-forward network",
    "parameters": "Parameters",
    "precision": "Precision",
}
"""The stages with their titles, in the order in which a reader meets them in the block."""


@dataclass(frozen=True)
class Pitfall:
    """A known mistake and its numbers.

    Args:
        id, title, stage: as in `submissions/mistakes.yaml`.
        output: its output on the worked example, None where it raises or has another shape.
        difference: largest absolute difference from the right output there; NaN counts as
            infinite, None where there is no output.
        shows: whether the worked example tells it from a right solution.
        passed: names of the samples that it passes.
        allclose: whether `np.allclose` at its defaults accepts it on the worked example.
    """

    id: str
    title: str
    stage: str
    output: NDArray[np.float64] | None
    difference: float | None
    shows: bool
    passed: frozenset[str]
    allclose: bool


def collect(material: Any, worked: Any) -> dict[str, Pitfall]:
    """Return every known mistake by id, in the order of stages, then of the file."""
    pitfalls = [_pitfall(mistaken, material, worked) for mistaken in material.mistakes]
    unknown = sorted({pitfall.stage for pitfall in pitfalls} - set(STAGES))
    if unknown:
        raise ValueError(f"mistakes have stages that the texts don't know: {', '.join(unknown)}")
    return {
        pitfall.id: pitfall for stage in STAGES for pitfall in pitfalls if pitfall.stage == stage
    }


def _pitfall(mistaken: Any, material: Any, worked: Any) -> Pitfall:
    mistake = mistaken.mistake
    output = mistaken.outputs[worked.name]
    if output is not None and output.shape != worked.expected.shape:
        output = None
    difference = None
    if output is not None:
        gap = np.abs(output - worked.expected)
        difference = float(np.nan_to_num(gap, nan=np.inf).max())
    passed = frozenset(
        sample.name
        for sample in material.samples
        if accepted(mistaken.outputs[sample.name], sample.expected, material.problem.tolerance)
    )
    return Pitfall(
        id=mistake.id,
        title=mistake.title,
        stage=mistake.stage,
        output=output,
        difference=difference,
        shows=worked.name not in passed,
        passed=passed,
        allclose=output is not None and bool(np.allclose(output, worked.expected)),
    )


def accepted(output: Any, expected: NDArray[np.float64], tolerance: Any) -> bool:
    """Tell whether the judge's rule takes an output; NaN never passes."""
    if output is None or output.shape != expected.shape:
        return False
    gap = np.abs(output - expected)
    return bool((gap <= tolerance.absolute + tolerance.relative * np.abs(expected)).all())


def by_stage(pitfalls: dict[str, Pitfall]) -> list[dict[str, Any]]:
    """Return the mistakes of each stage that has any, in order, with the stage's title."""
    grouped = [
        {"title": title, "pitfalls": [p for p in pitfalls.values() if p.stage == stage]}
        for stage, title in STAGES.items()
    ]
    return [stage for stage in grouped if stage["pitfalls"]]


def margins(material: Any) -> dict[str, Any]:
    """Return how far right and wrong lie apart, as |actual - exact| / (1 + |exact|).

    `right`: the reference's worst error on any case. `wrong`: of the mistakes that must be
    rejected, the nearest, each on the case that shows it best, over samples and core; `nearest`:
    its title.
    """
    problem, expected = material.problem, {case.name: case.expected for case in material.cases}
    block = getattr(material.reference, problem.function.name)
    right = max(_error(block(*case.inputs), case.expected) for case in material.cases)
    wrong, nearest = min(
        (
            max(_error(output, expected[name]) for name, output in mistaken.outputs.items()),
            mistaken.mistake.title,
        )
        for mistaken in material.mistakes
        if not mistaken.mistake.below_tolerance
    )
    return {"right": right, "wrong": wrong, "nearest": nearest}


def _error(output: NDArray[np.float64] | None, expected: NDArray[np.float64]) -> float:
    if output is None or output.shape != expected.shape:
        return np.inf
    error = np.abs(output - expected) / (1 + np.abs(expected))
    return float(np.nan_to_num(error, nan=np.inf).max())
