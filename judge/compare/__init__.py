"""Compare results with answers.

An element is right when |actual - expected| <= absolute + relative * |expected|. `elementwise`
says so with NumPy, of arrays of any size and results of any kind. An `Answer` accepts small right
results without it, by the same operations on the same float64 values, so with the same outcome to
the last bit.
"""

from __future__ import annotations

import operator
import sys
from typing import NamedTuple

from judge.arrays import Array
from judge.problem import Tolerance
from judge.verdicts import Reason, ValueDifference, number

LARGEST_PLAIN = 1 << 15
"""Elements up to which Python's loops take less time than importing NumPy would."""

FEW = 1 << 7
"""Elements up to which they take less time than NumPy does, once it is imported."""


class Comparison(NamedTuple):
    """Whether a result is right, and how far off its worst element is.

    Args:
        reason: None when it is right, else `NON_FINITE` or `VALUE`.
        difference: the worst element; None when the result has no elements.
    """

    reason: Reason | None
    difference: ValueDifference | None

    @property
    def accepted(self) -> bool:
        """Whether every element is right."""
        return self.reason is None


class _Plain(NamedTuple):
    """An answer's elements, and what each may be off by."""

    expected: tuple[float, ...]
    allowed: list[float]


class Answer:
    """The answer of one case, made ready once for all results that it is compared with.

    Args:
        expected: the answer, all finite.
        tolerance: what may differ in float64 results.
    """

    def __init__(self, expected: Array, tolerance: Tolerance) -> None:
        self.expected = expected
        self._tolerance = tolerance
        self._plain = _plain(expected, tolerance)

    def compare(self, actual: Array) -> Comparison:
        """Compare a result that has the answer's dtype and shape with the answer.

        Args:
            actual: what the submission returned.

        Raises:
            ValueError: dtype or shape differ.
        """
        if actual.dtype != self.expected.dtype or actual.shape != self.expected.shape:
            raise ValueError("only results of the answer's dtype and shape can be compared")
        if not self.expected.size:
            return Comparison(None, None)
        return self._accept(actual) or self._elementwise(actual)

    def _accept(self, actual: Array) -> Comparison | None:
        """Return the comparison when every element is seen to be right without NumPy, else None."""
        if self.expected.dtype != "float64":
            if actual.data != self.expected.data:
                return None
            return self._right(0, self.expected.element(0), actual.element(0), 0.0, 0.0)
        if self._plain is None or (self.expected.size > FEW and "numpy" in sys.modules):
            return None
        expected, allowed = self._plain
        found = actual.elements()
        off = list(map(abs, map(operator.sub, found, expected)))
        if not all(map(operator.le, off, allowed)):
            return None
        times = list(map(operator.truediv, off, allowed))
        largest = max(times)
        worst = times.index(largest)
        return self._right(worst, expected[worst], found[worst], off[worst], largest)

    def _right(self, worst: int, wanted: float, got: float, off: float, times: float) -> Comparison:
        difference = ValueDifference(
            index=self.expected.index_of(worst),
            expected=float(wanted),
            actual=float(got),
            absolute=off,
            relative=number(relative_error(off, float(wanted))),
            error_over_tolerance=times,
            mismatched=0,
            elements=self.expected.size,
        )
        return Comparison(None, difference)

    def _elementwise(self, actual: Array) -> Comparison:
        from judge.compare.elementwise import compare

        return compare(actual.numpy(), self.expected.numpy(), self._tolerance)

    def differs(self, first: Array, second: Array) -> bool:
        """Tell whether two results of the same call differ by more than the tolerance.

        Args:
            first: the one that was accepted, so that all of it is finite.
            second: the other one, which may hold anything.
        """
        if first.data == second.data:
            return False
        from judge.compare.elementwise import differs

        return differs(first.numpy(), second.numpy(), self._tolerance)


def relative_error(off: float, wanted: float) -> float:
    """Return the distance over the answer's size; where that is 0, infinity or 0."""
    return off / abs(wanted) if wanted else (float("inf") if off else 0.0)


def _plain(expected: Array, tolerance: Tolerance) -> _Plain | None:
    """Return what plain Python compares with; None where NumPy has to."""
    if expected.dtype != "float64" or expected.size > LARGEST_PLAIN:
        return None
    values = expected.elements()
    allowed = [tolerance.absolute + tolerance.relative * abs(value) for value in values]
    # Where nothing may be off, the ratio of what is off to that needs a rule of its own.
    return _Plain(values, allowed) if all(allowed) else None
