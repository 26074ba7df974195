"""The comparison of results, against exact rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.arrays import Array
from judge.compare import LARGEST_PLAIN, Answer
from judge.compare.elementwise import compare, differs
from judge.problem import Tolerance
from judge.verdicts import Reason

finite = st.floats(allow_nan=False, allow_infinity=False)
small = st.floats(min_value=0, max_value=0.5, allow_subnormal=False)
ROUNDINGS = Fraction(8, 2**53)
"""The float64 evaluation of the rule takes four roundings; this is twice their sum."""


def exact_ratio(actual: float, expected: float, tolerance: Tolerance) -> Fraction | None:
    """Return |actual - expected| over what is allowed, exactly; None where nothing is allowed."""
    distance = abs(Fraction(actual) - Fraction(expected))
    allowed = Fraction(tolerance.absolute) + Fraction(tolerance.relative) * abs(Fraction(expected))
    return distance / allowed if allowed else None


def off_by(expected: float, tolerance: Tolerance, times: float) -> float:
    return expected + times * (tolerance.absolute + tolerance.relative * abs(expected))


@given(actual=finite, expected=finite, absolute=small, relative=small)
def test_one_element_is_judged_as_exact_arithmetic_judges_it(
    actual: float, expected: float, absolute: float, relative: float
) -> None:
    tolerance = Tolerance(absolute, relative)
    accepted = compare(np.array(actual), np.array(expected), tolerance).accepted
    ratio = exact_ratio(actual, expected, tolerance)
    if ratio is None:
        assert accepted == (actual == expected)
    elif abs(ratio - 1) > ROUNDINGS and min(abs(expected), absolute) > 1e-290:
        # Below that a product underflows, far from any tolerance that a problem has.
        assert accepted == (ratio <= 1)


@given(
    expected=st.floats(-1e6, 1e6),
    times=st.floats(0, 1e9),
    absolute=st.floats(1e-12, 1e-3),
    relative=st.floats(0, 1e-3),
)
def test_near_the_tolerance_too(
    expected: float, times: float, absolute: float, relative: float
) -> None:
    tolerance = Tolerance(absolute, relative)
    actual = off_by(expected, tolerance, times)
    ratio = exact_ratio(actual, expected, tolerance)
    assert ratio is not None
    comparison = compare(np.array(actual), np.array(expected), tolerance)
    if abs(ratio - 1) > ROUNDINGS:
        assert comparison.accepted == (ratio <= 1)
    assert comparison.difference is not None
    reported = float(comparison.difference.error_over_tolerance)
    assert reported == pytest.approx(float(ratio), rel=1e-12, abs=1e-300)


@given(
    st.lists(st.tuples(st.floats(-10, 10), st.floats(0, 4)), min_size=12, max_size=12),
    st.sampled_from([(12,), (3, 4), (2, 3, 2), (1, 12, 1)]),
)
def test_the_worst_element_is_found_and_the_wrong_ones_are_counted(
    elements: list[tuple[float, float]], shape: tuple[int, ...]
) -> None:
    tolerance = Tolerance(1e-6, 1e-6)
    expected = np.array([e for e, _ in elements]).reshape(shape)
    actual = np.array([off_by(e, tolerance, t) for e, t in elements]).reshape(shape)
    ratios = [
        exact_ratio(float(a), float(e), tolerance)
        for a, e in zip(actual.flat, expected.flat, strict=True)
    ]
    comparison = compare(actual, expected, tolerance)
    worst = comparison.difference
    assert worst is not None
    at = int(np.ravel_multi_index(tuple(worst.index), expected.shape))
    assert float(ratios[at] or 0) >= float(max(r or 0 for r in ratios)) * (1 - 1e-12)
    surely, perhaps = (
        sum((r or 0) > bound for r in ratios) for bound in (1 + ROUNDINGS, 1 - ROUNDINGS)
    )
    assert surely <= worst.mismatched <= perhaps
    assert worst.elements == len(elements)
    assert (worst.expected, worst.actual) == (expected.flat[at], actual.flat[at])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_never_accepted(value: float) -> None:
    actual = np.zeros((2, 3))
    actual[1, 2] = value
    comparison = compare(actual, np.zeros((2, 3)), Tolerance(0.9, 0.9))
    assert comparison.reason is Reason.NON_FINITE
    assert comparison.difference is not None
    assert comparison.difference.index == [1, 2]
    assert isinstance(comparison.difference.actual, str)
    assert comparison.difference.mismatched == 1


def test_a_difference_too_large_for_a_float_is_not_accepted() -> None:
    comparison = compare(np.array([1e308]), np.array([-1e308]), Tolerance(0.5, 0.5))
    assert comparison.reason is Reason.VALUE
    assert comparison.difference is not None
    assert comparison.difference.absolute == "inf"


def test_zeros_have_no_sign() -> None:
    assert compare(np.array([-0.0]), np.array([0.0]), Tolerance(0.0, 0.0)).accepted


def test_an_array_without_elements_is_right() -> None:
    comparison = compare(np.empty((0, 3)), np.empty((0, 3)), Tolerance(0.0, 0.0))
    assert comparison.accepted
    assert comparison.difference is None


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_whole_numbers_must_be_equal(actual: int, expected: int) -> None:
    comparison = compare(
        np.array([0, actual]), np.array([0, expected]), Tolerance(absolute=0.9, relative=0.9)
    )
    assert comparison.accepted == (actual == expected)
    assert comparison.difference is not None
    if actual != expected:
        assert comparison.difference.index == [1]
        assert comparison.difference.absolute == float(abs(actual - expected))


def test_booleans_must_be_equal() -> None:
    comparison = compare(
        np.array([True, True]), np.array([True, False]), Tolerance(absolute=0.9, relative=0.9)
    )
    assert comparison.reason is Reason.VALUE
    assert comparison.difference is not None
    assert comparison.difference.index == [1]
    assert comparison.difference.mismatched == 1


def test_another_shape_or_dtype_is_refused_rather_than_broadcast() -> None:
    with pytest.raises(ValueError, match="dtype and shape"):
        compare(np.zeros((1, 3)), np.zeros((2, 3)), Tolerance(0.5, 0.5))
    with pytest.raises(ValueError, match="dtype and shape"):
        compare(np.zeros(3, np.float32), np.zeros(3), Tolerance(0.5, 0.5))


@given(first=finite, second=st.floats())
def test_a_second_run_differs_unless_it_is_close(first: float, second: float) -> None:
    tolerance = Tolerance(1e-6, 1e-6)
    got = differs(np.array([first, 1.0]), np.array([second, 1.0]), tolerance)
    if not math.isfinite(second):
        assert got
        return
    ratio = exact_ratio(second, first, tolerance)
    assert ratio is not None
    if abs(ratio - 1) > ROUNDINGS:
        assert got == (ratio > 1)


# ------------------------------------------------------------------------------- without NumPy


def own(values: np.ndarray) -> Array:
    found = Array.of(values)
    assert found is not None
    return found


anything = st.floats(width=64)


@given(
    pairs=st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-2, 2), anything), max_size=12),
    tolerances=st.tuples(st.floats(0, 1e-3), st.floats(0, 1e-3)),
    wild=st.booleans(),
)
def test_an_answer_says_what_numpy_says_to_the_last_bit(
    pairs: list[tuple[float, float, float]], tolerances: tuple[float, float], wild: bool
) -> None:
    tolerance = Tolerance(*tolerances)
    expected = np.array([pair[0] for pair in pairs])
    actual = np.array([off_by(e, tolerance, t) if not wild else w for e, t, w in pairs])
    answer = Answer(own(expected), tolerance)
    assert answer.compare(own(actual)) == compare(actual, expected, tolerance)
    assert answer.differs(own(expected), own(actual)) == differs(expected, actual, tolerance)


@given(values=st.lists(st.integers(-3, 3), min_size=1), other=st.lists(st.integers(-3, 3)))
@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_whole_numbers_and_booleans_too(dtype: str, values: list[int], other: list[int]) -> None:
    expected = np.array(values, dtype)
    changed = np.array([*other, *values][: len(values)], dtype)
    answer = Answer(own(expected), Tolerance(0.1, 0.1))
    for actual in (expected, changed):
        assert answer.compare(own(actual)) == compare(actual, expected, Tolerance(0.1, 0.1))


@pytest.mark.parametrize("shape", [(), (2, 3, 4), (20, 5, 7), (1, LARGEST_PLAIN + 1)])
@pytest.mark.parametrize("few", [0, LARGEST_PLAIN])
def test_the_worst_element_stands_at_the_same_index(
    shape: tuple[int, ...], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.compare.FEW", few)
    expected = np.arange(math.prod(shape), dtype=float).reshape(shape)
    actual = np.asarray(expected + 1e-13 * np.cos(expected))
    tolerance = Tolerance(1e-12, 1e-12)
    found = Answer(own(expected), tolerance).compare(own(actual))
    assert found.accepted
    assert found == compare(actual, expected, tolerance)


def test_results_of_another_shape_or_dtype_are_not_compared() -> None:
    answer = Answer(own(np.zeros(2)), Tolerance(0.1, 0.1))
    for actual in (np.zeros(3), np.zeros(2, np.int64)):
        with pytest.raises(ValueError, match="only results"):
            answer.compare(own(actual))
