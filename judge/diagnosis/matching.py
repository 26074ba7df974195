"""The match rule: which known results are those of a submission. Pure; it runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

LARGEST_DISTANCE = 1e-3
"""A candidate matches when its distance from the submission is at most this."""

_SAME = 1e-9
"""Distances below this are rounding, and say nothing about which candidate is nearer."""

_NEARLY_AS_NEAR = 30.0
"""A candidate this many times farther than the nearest one is not worth naming beside it."""


@dataclass(frozen=True)
class Observed:
    """A submission's result on one case, beside the exact one.

    Args:
        actual: what the submission returned, float64.
        exact: the answer, finite.
        right: whether the case was accepted.
    """

    actual: Array
    exact: Array
    right: bool

    @property
    def deviation(self) -> float:
        """max|actual - exact| over the finite elements."""
        return _largest(np.abs(self.actual - self.exact)[np.isfinite(self.actual)])

    @property
    def finite(self) -> bool:
        """Whether every element is finite."""
        return bool(np.isfinite(self.actual).all())


@dataclass(frozen=True)
class Comparisons:
    """How far candidates are from a submission, case by case.

    Args:
        gaps: max|submission - candidate| over finite elements, one row a case, one column a
            candidate; infinite where NaN and infinities stand elsewhere, or the candidate failed.
        deviations: max|submission - exact|, one a case.
        right: which cases were accepted, one a case.
        noise: what rounding may amount to, absolutely: the tolerance.
        finite: whether the submission's results are all finite.
    """

    gaps: Array
    deviations: Array
    right: NDArray[np.bool_]
    noise: float
    finite: bool

    @property
    def scale(self) -> float:
        """What distances are relative to: the largest deviation of all cases.

        Where a submission fails by NaN alone, its finite elements are right up to rounding, and the
        noise stands in.
        """
        largest = _largest(self.deviations)
        return largest if self.finite else max(largest, self.noise / LARGEST_DISTANCE)

    @property
    def distances(self) -> Array:
        """max|submission - candidate| over max|submission - exact|, one a candidate."""
        if not self.scale > 0:
            return np.full(self.gaps.shape[1], np.inf)
        return np.asarray(self.gaps.max(axis=0, initial=0.0) / self.scale)

    @property
    def agreeing(self) -> NDArray[np.intp]:
        """On how many cases each candidate gives the submission's result."""
        return np.asarray(self._agrees.sum(axis=0))

    @property
    def explaining(self) -> NDArray[np.bool_]:
        """Which candidates give the submission's result on some case where it is wrong."""
        return np.asarray((self._agrees & ~self.right[:, None]).any(axis=0))

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Which candidates are right on every case where the submission is right."""
        return np.asarray((self._agrees | ~self.right[:, None]).all(axis=0))

    @property
    def _agrees(self) -> NDArray[np.bool_]:
        near = np.where(self.right, self.noise, LARGEST_DISTANCE * self.deviations)
        if not self.finite:
            near = np.maximum(near, self.noise)
        return np.asarray(self.gaps <= near[:, None])

    def matches(self) -> list[int]:
        """Return the candidates that match, nearest first, without those much farther than it."""
        distances, agreeing = self.distances, self.agreeing
        found = [
            (max(float(distances[i]), _SAME), -int(agreeing[i]), i)
            for i in np.flatnonzero(distances <= LARGEST_DISTANCE)
        ]
        found.sort()
        return [int(i) for near, _, i in found if near <= found[0][0] * _NEARLY_AS_NEAR]


def compare_candidates(
    observed: Sequence[Observed], candidates: Sequence[Array], noise: float
) -> Comparisons:
    """Compare a submission with candidates on some cases.

    Args:
        observed: the submission's results.
        candidates: for each case an array of shape (candidates, *result shape); a candidate that
            failed there is all NaN.
        noise: what rounding may amount to, absolutely.
    """
    gaps = [_gaps(case.actual, results) for case, results in zip(observed, candidates, strict=True)]
    return Comparisons(
        gaps=np.array(gaps),
        deviations=np.array([case.deviation for case in observed]),
        right=np.array([case.right for case in observed], dtype=bool),
        noise=noise,
        finite=all(case.finite for case in observed),
    )


def _gaps(actual: Array, candidates: Array) -> Array:
    """Return max|actual - candidate| of each candidate; infinite where non-finite ones differ."""
    flat = candidates.reshape(len(candidates), actual.size)
    mine = actual.reshape(-1)
    finite = np.isfinite(mine)
    with np.errstate(all="ignore"):
        gaps = np.abs(flat[:, finite] - mine[finite]).max(axis=1, initial=0.0)
    same = (np.isnan(flat) == np.isnan(mine)) & (np.isinf(flat) == np.isinf(mine))
    same &= ~np.isinf(flat) | (flat == mine)
    gaps[~same.all(axis=1)] = np.inf
    return np.asarray(np.where(np.isnan(gaps), np.inf, gaps))


def _largest(values: Array) -> float:
    return float(values.max(initial=0.0))
