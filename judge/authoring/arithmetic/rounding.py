"""From balls to float64: the nearest one where it is sure, and upper ends to two digits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flint import arb

SMALLEST_EXPONENT = -1100
"""Below 2 to this power every number rounds to zero (half the smallest float64 is 2**-1075)."""

LARGEST_EXPONENT = 1024
"""From 2 to this power on no number has a float64."""

SMALLEST_BOUND = Fraction(1, 10**300)


def nearest(ball: arb) -> float | None:
    """Return the float64 that every number of the ball rounds to (ties to even), zeros as +0.0.

    Returns:
        None when the ball holds numbers that round to different float64, or is not finite.

    Raises:
        OverflowError: the ball is finite and lies beyond the largest float64.
    """
    if not ball.is_finite():
        return None
    # The ends of an inexact ball are rounded outwards; an exact ball is its own two ends.
    ends = (ball, ball) if ball.is_exact() else (ball.lower(), ball.upper())
    low, high = map(_round, ends)
    if low != high:
        return None
    if math.isinf(low):
        raise OverflowError
    return low + 0.0


def whole_number(ball: arb, least: int, most: int) -> int | None:
    """Return the whole number that a ball surely is, if it lies between two ends."""
    value = ball.unique_fmpz()
    if value is None or not ball.is_exact():
        return None
    return int(value) if least <= value <= most else None


def up_to_two_digits(end: arb) -> float:
    """Return the least number of two significant decimal digits that is at least an exact ball.

    Args:
        end: at least 0, and exact, as the upper end of a ball is. Positive numbers below 1e-300
            count as that.
    """
    mantissa, power = (int(part) for part in end.man_exp())
    if mantissa == 0:
        return 0.0
    size = mantissa.bit_length() + power
    if size > LARGEST_EXPONENT:
        return math.inf
    value = SMALLEST_BOUND
    if size > SMALLEST_EXPONENT:  # else a fraction that no memory holds
        value = max(value, Fraction(mantissa) * Fraction(2) ** power)
    exponent = math.floor(math.log10(value.numerator) - math.log10(value.denominator)) - 1
    while value > 99 * Fraction(10) ** exponent:  # log10 may be off by one near a power of ten
        exponent += 1
    while value <= Fraction(99, 10) * Fraction(10) ** exponent:
        exponent -= 1
    return float(f"{math.ceil(value / Fraction(10) ** exponent)}e{exponent}")


def _round(end: Any) -> float:
    """Round an exact ball; Python divides whole numbers with one correct rounding."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    size = mantissa.bit_length() + exponent
    if size < SMALLEST_EXPONENT:
        return 0.0
    if size > LARGEST_EXPONENT:  # before a shift that no memory holds
        return math.copysign(math.inf, mantissa)
    try:
        return float(mantissa << exponent) if exponent >= 0 else mantissa / (1 << -exponent)
    except OverflowError:
        return math.copysign(math.inf, mantissa)
