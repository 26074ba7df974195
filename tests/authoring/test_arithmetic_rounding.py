"""Rounding to float64 once and correctly, and upwards to two decimal digits."""

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.authoring.arithmetic.rounding import nearest, up_to_two_digits, whole_number

SMALLEST = 5e-324
LARGEST = math.ldexp(2**53 - 1, 971)


def exact(value: Fraction) -> arb:
    """The ball of radius 0 of a number with a power of two as denominator."""
    with ctx.workprec(4000):
        ball = arb(value.numerator) / value.denominator
    assert ball.is_exact()
    return ball


@given(st.integers(-(2**200), 2**200), st.integers(-1300, 900))
@settings(max_examples=100, deadline=None)
def test_an_exact_ball_rounds_as_python_rounds_fractions(mantissa, exponent):
    value = Fraction(mantissa) * Fraction(2) ** exponent
    try:
        expected = float(value)
    except OverflowError:
        with pytest.raises(OverflowError):
            nearest(exact(value))
        return
    rounded = nearest(exact(value))
    assert rounded == expected
    assert math.copysign(1, rounded) == 1 or rounded < 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(2**53 + 1), 2.0**53),  # a tie goes to the even neighbour
        (Fraction(2**53 + 3), 2.0**53 + 4),
        (Fraction(1, 2**1075), 0.0),
        (Fraction(3, 2**1076), SMALLEST),
        (Fraction(-1, 2**1075), 0.0),
        (Fraction(1, 2**3000), 0.0),
        (Fraction(2**970 * (2**54 - 1) - 1), LARGEST),
    ],
)
def test_ties_and_the_ends_of_the_range(value, expected):
    rounded = nearest(exact(value))
    assert (rounded, math.copysign(1, rounded)) == (expected, 1.0)


def test_the_middle_beyond_the_largest_float_overflows():
    with pytest.raises(OverflowError):
        nearest(exact(Fraction(2**970 * (2**54 - 1))))


def test_a_ball_over_a_tie_has_no_nearest_float():
    with ctx.workprec(200):
        assert nearest(arb(1) + arb(2) ** -53 + arb(0, 1e-40)) is None
        assert nearest(arb(1) + arb(2) ** -54 + arb(0, 1e-40)) == 1.0


def test_a_ball_around_zero_is_zero_only_once_it_is_small_enough():
    assert nearest(arb(0, arb(2) ** -1076)) == 0.0
    assert nearest(arb(0, arb(2) ** -1073)) is None


@pytest.mark.parametrize("ball", [arb("nan"), arb("inf"), arb(1) / arb(0, 1)])
def test_what_is_not_finite_has_no_nearest_float(ball):
    assert nearest(ball) is None


@given(st.integers(0, 2**80), st.integers(-1040, 900))
@settings(max_examples=200, deadline=None)
def test_two_digits_are_at_least_the_value_and_hardly_more(mantissa, exponent):
    value = Fraction(mantissa) * Fraction(2) ** exponent
    rounded = up_to_two_digits(exact(value))
    if value == 0:
        assert rounded == 0
        return
    shown = Fraction(repr(rounded))  # the decimal that is written down
    assert shown >= value
    assert shown <= max(value * Fraction(11, 10), Fraction(1, 10**300))
    assert float(f"{rounded:.1e}") == rounded


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(1), 1.0),
        (Fraction(10), 10.0),
        (Fraction(99), 99.0),
        (Fraction(99) + Fraction(1, 2**60), 100.0),
        (Fraction(1) + Fraction(1, 2**100), 1.1),
        (Fraction(1, 2**53), 1.2e-16),
        (Fraction(1, 2**5000), 1e-300),
    ],
)
def test_two_digits_go_up(value, expected):
    assert up_to_two_digits(exact(value)) == expected


def test_two_digits_of_what_no_float_holds():
    assert up_to_two_digits(exact(Fraction(2**2000))) == math.inf


def test_a_whole_number_is_sure_and_in_range():
    assert whole_number(arb(7), 0, 10) == 7
    assert whole_number(arb(11), 0, 10) is None
    assert whole_number(arb(7, 0.25), 0, 10) is None
    assert whole_number(arb(7.5), 0, 10) is None
    assert whole_number(arb("nan"), 0, 10) is None
