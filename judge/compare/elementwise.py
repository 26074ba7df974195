"""Compare a result with the answer, element by element, with NumPy.

An element is right when |actual - expected| <= absolute + relative * |expected|. The test is
written so that whatever does not compare (NaN) fails. Whole numbers and booleans must be equal.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from judge.compare import Comparison, relative_error
from judge.problem import Tolerance
from judge.verdicts import Reason, ValueDifference, number

Array: TypeAlias = NDArray[Any]


def compare(actual: Array, expected: Array, tolerance: Tolerance) -> Comparison:
    """Compare a result that has the answer's dtype and shape with the answer.

    Args:
        actual: what the submission returned.
        expected: the answer, all finite.
        tolerance: what may differ in float64 results.
    """
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        raise ValueError("only results of the answer's dtype and shape can be compared")
    if actual.size == 0:
        return Comparison(None, None)
    with np.errstate(all="ignore"):
        if actual.dtype.kind == "f":
            return _compare_floats(actual, expected, tolerance)
        return _compare_exactly(actual, expected)


def differs(first: Array, second: Array, tolerance: Tolerance) -> bool:
    """Tell whether two results of the same call differ by more than the tolerance.

    Args:
        first: the one that was accepted, so that all of it is finite.
        second: the other one, which may hold anything.
        tolerance: what may differ in float64 results.
    """
    if first.dtype.kind != "f":
        return not np.array_equal(first, second)
    with np.errstate(all="ignore"):
        allowed = tolerance.absolute + tolerance.relative * np.abs(first)
        return not bool(np.all(np.abs(second - first) <= allowed))


def _compare_floats(actual: Array, expected: Array, tolerance: Tolerance) -> Comparison:
    distance = np.abs(actual - expected)
    allowed = tolerance.absolute + tolerance.relative * np.abs(expected)
    right = distance <= allowed
    ratio = _ratio(distance, allowed)
    finite = np.isfinite(actual)
    if finite.all():
        reason = None if right.all() else Reason.VALUE
        worst = int(ratio.argmax())
    else:
        reason = Reason.NON_FINITE
        worst = int(finite.argmin())
    mismatched = int(right.size - np.count_nonzero(right))
    off = float(distance.flat[worst])
    times = float(ratio.flat[worst])
    return Comparison(reason, _difference(actual, expected, worst, off, times, mismatched))


def _ratio(distance: NDArray[np.float64], allowed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return distance over what is allowed; 0 / 0 is 0, since nothing is off there."""
    ratio: NDArray[np.float64] = distance / allowed
    if not allowed.all():
        ratio = np.where(distance == 0.0, 0.0, ratio)
    return np.asarray(ratio)


def _compare_exactly(actual: Array, expected: Array) -> Comparison:
    wrong = actual != expected
    # Of equally wrong elements the first: distances of whole numbers mean little.
    worst = int(np.argmax(wrong))
    mismatched = int(np.count_nonzero(wrong))
    off = float(abs(int(actual.flat[worst]) - int(expected.flat[worst])))
    times = float("inf") if mismatched else 0.0
    reason = Reason.VALUE if mismatched else None
    return Comparison(reason, _difference(actual, expected, worst, off, times, mismatched))


def _difference(
    actual: Array, expected: Array, worst: int, off: float, times: float, mismatched: int
) -> ValueDifference:
    wanted = float(expected.flat[worst])
    return ValueDifference(
        index=[int(i) for i in np.unravel_index(worst, expected.shape)],
        expected=number(wanted),
        actual=number(float(actual.flat[worst])),
        absolute=number(off),
        relative=number(relative_error(off, wanted)),
        error_over_tolerance=number(times),
        mismatched=mismatched,
        elements=int(expected.size),
    )
