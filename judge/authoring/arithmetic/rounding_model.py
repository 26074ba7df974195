"""What float64 rounds away in one step: the rules that the arithmetic of errors is made of.

N. J. Higham, "Accuracy and Stability of Numerical Algorithms" (2002), chapters 2 to 4: each basic
operation is off by at most one unit (a part in 2**53) of its result; a sum of n numbers, in any
order, by at most n - 1 units of the sum of magnitudes. First order: products of errors are left
out, and the factor `judge.authoring.arithmetic.SAFETY` makes up for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from judge.authoring.arithmetic.balls import Balls
from judge.authoring.arithmetic.elements import Array, as_array, leading
from judge.authoring.arithmetic.interface import Axes

UNIT = arb(2) ** -53
"""The largest relative error of one correctly rounded float64 operation."""

LIBRARY = 2
"""Units charged for a function of a mathematical library (exp, sin, …): one last place."""

CLEAR = 8
"""A comparison is decided when the gap is over this many times the errors of both sides."""

ZERO = arb(0)
balls = Balls()

_HALF = arb(0.5)
_WHOLE_LIMIT = arb(2) ** 53


@dataclass(frozen=True)
class Estimate:
    """Exact values, and for each a first-order bound of what a float64 program is off by."""

    value: Array
    error: Array


def estimate(value: Any, error: Any) -> Estimate:
    """Return an estimate whose error has the value's shape."""
    value = as_array(value)
    return Estimate(value, np.broadcast_to(as_array(error), value.shape))


def each(function: Callable[..., Any], *operands: Any) -> Array:
    """Apply a function of elements to arrays that broadcast."""
    return as_array(np.frompyfunc(function, len(operands), 1)(*operands))


def rounded(value: Any, carried: Any, units: int = 1) -> Estimate:
    """Return an estimate whose error is what was carried and the rounding of the result."""
    return estimate(value, carried + units * UNIT * abs(value))


def is_zero(x: Array) -> bool:
    """Whether every element is exactly zero."""
    return all(element.is_zero() for element in x.flat)


def stays_whole(magnitude: Any, *operands: Estimate) -> bool:
    """Whether a sum or product is of exact whole numbers that float64 holds: nothing is rounded.

    Args:
        magnitude: the sum of magnitudes, or the product's.
        operands: what is summed or multiplied.
    """
    return (
        all(element.is_integer() for x in operands for element in x.value.flat)
        and all(is_zero(x.error) for x in operands)
        and all(element <= _WHOLE_LIMIT for element in as_array(magnitude).flat)
    )


def mean_rounding(x: Array, axis: Axes) -> Any:
    """Rounding of a mean: n - 1 additions and a division; none for a single element."""
    count = len(leading(x, axis))
    return ZERO if count == 1 else count * UNIT * balls.mean(abs(x), axis, keepdims=True)


def variance_rounding(x: Array, axis: Axes) -> Any:
    """Rounding of a population variance, by the program that rounds most.

    That is the one of a single pass, mean(x**2) - mean(x)**2: n + 1 units of mean(x**2) for the
    first mean, 2n + 1 of mean(x)**2 <= mean(x**2) for the second, and one of the difference. Two
    passes round less: n + 3 units of the variance, which is at most mean(x**2).
    """
    count = len(leading(x, axis))
    if count == 1:
        return ZERO
    variance = balls.variance(x, axis, keepdims=True)
    squares = balls.mean(balls.square(x), axis, keepdims=True)
    return UNIT * ((3 * count + 2) * squares + variance)


def root_error(root: arb, error: arb) -> arb:
    """What an error of x does to its square root: at most the root of the error, near 0 too."""
    if error.is_zero():
        return error
    return (error / (2 * root)).min(error.sqrt()) if root > 0 else error.sqrt()


def power_error(x: arb, x_error: arb, y: arb, y_error: arb) -> arb:
    """What errors of base and exponent do to a power."""
    error = ZERO
    if not x_error.is_zero():
        error += abs(y * x ** (y - 1)) * x_error
    if not y_error.is_zero():
        error += abs(x**y * x.log()) * y_error
    return error


def larger_error(x: arb, x_error: arb, y: arb, y_error: arb) -> arb:
    """The error of the larger of two numbers: either's, where they are too close to tell."""
    clear = CLEAR * (x_error + y_error)
    if x - y > clear:
        return x_error
    if y - x > clear:
        return y_error
    return x_error.max(y_error)


def comparison_error(gap: arb, error: arb) -> arb:
    """0 where a comparison can only come out one way, 1 where rounding may turn it."""
    return ZERO if error.is_zero() or abs(gap) > CLEAR * error else arb(1)


def choice_error(condition: arb, unsure: arb, x_error: arb, y_error: arb, gap: arb) -> arb:
    """The error of a choice between x and y: of the other one too, where the condition may turn."""
    if unsure < _HALF and condition > _HALF:
        return x_error
    if unsure < _HALF and condition < _HALF:
        return y_error
    return gap + x_error.max(y_error)
