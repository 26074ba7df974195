"""What checks look at: the bundle's parts, and what mistakes and submissions gave on its cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from judge.mistakes import PRECISION, Mistake, Mistakes
from judge.problem import Problem, Tolerance
from judge.testcases import Manifest, TestCase
from judge.verdicts import Verdict

Array: TypeAlias = NDArray[np.float64]

CORE = "core"


@dataclass(frozen=True)
class Accepted:
    """What came of a submission that must be accepted.

    Args:
        name: its file.
        verdict: what the judge said.
        why: the message of its first failing case; empty when there is none.
        errors: error over tolerance by case, for the cases that gave a value.
        slowest: wall seconds of its slowest call.
        largest_error: max|actual - exact| / (1 + |exact|) over all cases.
    """

    name: str
    verdict: Verdict
    why: str
    errors: dict[str, float]
    slowest: float
    largest_error: float


@dataclass(frozen=True)
class Named:
    """What the diagnosis would say of submissions that make known mistakes.

    Args:
        mistakes: number of mistakes that the core rejects.
        unique: how many of them are named, and nothing beside them.
        shared: mistakes that are named beside others, or not at all, with what is named.
        pairs: number of pairs that the core rejects.
        unique_pairs: how many of them are named as that pair alone.
        like_one: how many look like one mistake alone.
    """

    mistakes: int
    unique: int
    shared: dict[str, list[str]]
    pairs: int
    unique_pairs: int
    like_one: int


@dataclass(frozen=True)
class Evidence:
    """A bundle, and what was measured of it.

    Args:
        problem: the bundle.
        manifest: what `testcases/manifest.json` says.
        cases: the cases, in the manifest's order.
        mistakes: the known mistakes.
        results: for each case, what every known mistake returned, (mistakes, *result shape);
            all NaN where it raised or returned another shape.
        accepted: the submissions that must be accepted.
        single: the same, given float32 and returning float64: honest solutions in single precision.
        pairs: likely pairs of mistakes.
        pair_results: for each core case, what every pair returned.
        named: how well the diagnosis tells mistakes apart.
    """

    problem: Problem
    manifest: Manifest
    cases: Sequence[TestCase]
    mistakes: Mistakes
    results: Sequence[Array] = ()
    accepted: Sequence[Accepted] = ()
    single: Sequence[Accepted] = ()
    pairs: Sequence[tuple[str, ...]] = ()
    pair_results: Sequence[Array] = ()
    named: Named | None = None

    @property
    def known(self) -> tuple[Mistake, ...]:
        """The known mistakes, in the order of the rows of `margins`."""
        return self.mistakes.known

    @property
    def core(self) -> list[int]:
        """Positions of the cases that known mistakes are told apart on."""
        return [i for i, case in enumerate(self.cases) if CORE in case.tags]

    @property
    def samples(self) -> list[int]:
        """Positions of the published cases: those of the first group."""
        first = self.problem.groups[0].name
        return [i for i, case in enumerate(self.cases) if case.group == first]

    @cached_property
    def margins(self) -> Array:
        """Error over tolerance of every mistake on every case: (mistakes, cases).

        Infinite where a mistake gives NaN, raises, or returns another shape.
        """
        tolerance = self.problem.tolerance
        columns = [
            error_over_tolerance(results, case.expected, tolerance)
            for results, case in zip(self.results, self.cases, strict=True)
        ]
        return np.array(columns, dtype=np.float64).reshape(len(columns), len(self.known)).T

    @cached_property
    def errors(self) -> Array:
        """max|actual - exact| / (1 + |exact|) of every mistake on every case."""
        one = Tolerance(absolute=0.5, relative=0.5)
        columns = [
            error_over_tolerance(results, case.expected, one) / 2
            for results, case in zip(self.results, self.cases, strict=True)
        ]
        return np.array(columns, dtype=np.float64).reshape(len(columns), len(self.known)).T

    @cached_property
    def best(self) -> Array:
        """The largest margin of every mistake."""
        return np.asarray(self.margins.max(axis=1, initial=0.0))

    def row(self, mistake_id: str) -> int:
        """Return the row of a mistake."""
        return next(i for i, mistake in enumerate(self.known) if mistake.id == mistake_id)

    def demanded(self, mistake: Mistake) -> float:
        """Return the margin that the bundle demands for a mistake."""
        margins = self.problem.verify
        precise = mistake.stage == PRECISION
        return margins.precision_margin if precise else margins.structural_margin


def error_over_tolerance(results: Array, exact: NDArray[Any], tolerance: Tolerance) -> Array:
    """Return the worst error over tolerance of each of several results.

    Args:
        results: (results, *shape of exact).
        exact: the answer.
        tolerance: what may differ.

    Returns:
        One number a result; infinite where it has NaN.
    """
    with np.errstate(all="ignore"):
        allowed = tolerance.absolute + tolerance.relative * np.abs(exact)
        ratios = np.abs(results - exact) / allowed
    ratios = np.where(np.isnan(ratios), np.inf, ratios)
    return np.asarray(ratios.reshape(len(results), -1).max(axis=1, initial=0.0))
