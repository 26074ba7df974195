"""Two arithmetics for one set of formulas: one proves the answers, the other bounds the errors.

`function(ops, *inputs)` is a bundle's exact reference, written with the operations of
`judge.authoring.arithmetic.interface.Arithmetic`. flint's precision is a setting of the whole
process, so that these functions run in processes, not in threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from judge.authoring.arithmetic.balls import Balls
from judge.authoring.arithmetic.elements import Array
from judge.authoring.arithmetic.errors import Errors
from judge.authoring.arithmetic.interface import Arithmetic, Undecided
from judge.authoring.arithmetic.rounding import exactly, nearest, up_to_two_digits

__all__ = ["Arithmetic", "Proof", "Undecided", "bound", "prove", "second_opinion_values"]

PRECISIONS = (192, 384, 768, 1536, 3072)
"""Bits of Ziv's loop. From about 1,075 on a ball around zero is so small that it rounds to zero."""

BOUND_PRECISION = 128
"""Bits at which bounds are computed: enough that their two digits do not depend on it."""

SAFETY = 2
"""What a first-order bound is multiplied with, for all that is of higher order."""


@dataclass(frozen=True)
class Proof:
    """Proved results.

    Args:
        values: float64; each element is the exact result, correctly rounded; zeros are +0.0.
        precision: bits at which all elements were decided.
    """

    values: np.ndarray
    precision: int


def prove(function: Callable[..., Any], inputs: Sequence[Any]) -> Proof:
    """Compute a function's exact results, correctly rounded to float64 (ties to even).

    Ziv's loop: evaluate in balls, and double the precision until both ends of every ball round to
    the same float64 (A. Ziv, "Fast evaluation of elementary mathematical functions with correctly
    rounded last bit", ACM Transactions on Mathematical Software 17, 1991).

    Args:
        function: `function(ops, *inputs)`, an exact reference; whole numbers and truth values may
            be its result too.
        inputs: NumPy arrays, and Python numbers, which reach the function as they are.

    Raises:
        Undecided: an element has no value (a division by zero), lies too close to the middle of
            two float64 for the last precision, or is beyond the largest float64.
    """
    for precision in PRECISIONS:
        with ctx.workprec(precision):
            ops = Balls()
            balls = ops.constant(function(ops, *_arguments(ops, inputs)))
            last = precision == PRECISIONS[-1]
            values = _round_all(balls, report=last)
        if values is not None:
            return Proof(values, precision)
    raise AssertionError  # the last precision has raised


def bound(function: Callable[..., Any], inputs: Sequence[Any]) -> float:
    """Bound the error of any sane float64 program for the function, at these inputs.

    The largest |error| / (1 + |exact|) of all elements: first order, worst case, times 2; the upper
    end of the ball, rounded up to two digits. The same on every machine.

    Args:
        function: `function(ops, *inputs)`, an exact reference.
        inputs: NumPy arrays, and Python numbers, which reach the function as they are.

    Returns:
        The bound; infinity where rounding may change the outcome altogether, or no value exists.
    """
    with ctx.workprec(BOUND_PRECISION):
        ops = Errors()
        try:
            result = ops.constant(function(ops, *_arguments(ops, inputs)))
        except Undecided:
            return float("inf")
        worst = arb(0)
        for value, error in zip(result.value.flat, result.error.flat, strict=True):
            relative = SAFETY * error / (1 + abs(value))
            if not relative.is_finite():
                return float("inf")
            end = relative.upper()
            worst = end if end > worst else worst
        return up_to_two_digits(exactly(worst))


def second_opinion_values(
    function: Callable[..., Any], inputs: Sequence[Any], digits: int = 60
) -> np.ndarray:
    """Compute results with an independent program in decimal digits; see `digits.second_opinion`.

    Args:
        function: `function(mp, *inputs)` over an mpmath context, with arrays as nested lists.
        inputs: NumPy arrays, and Python numbers, which reach the function as they are.
        digits: significant decimal digits to begin with.

    Returns:
        float64, rounded to nearest, zeros as +0.0.

    Raises:
        Undecided: an element's float64 stays unclear at the last number of digits.
    """
    from judge.authoring.arithmetic import digits as mpmath_digits

    return mpmath_digits.second_opinion(function, inputs, digits)


def _arguments(ops: Arithmetic[Any], inputs: Sequence[Any]) -> list[Any]:
    return [ops.constant(x) if isinstance(x, np.ndarray) else x for x in inputs]


def _round_all(balls: Array, report: bool) -> np.ndarray | None:
    """Round every ball, or return None, or raise Undecided when asked to report."""
    values = np.empty(balls.shape)
    for place, ball in np.ndenumerate(balls):
        try:
            value = nearest(ball)
        except OverflowError:
            value = None
        if value is None:
            if report:
                raise Undecided(f"element {list(place)} {_why(ball)}")
            return None
        values[place] = value
    return values


def _why(ball: arb) -> str:
    if ball.is_nan() or not ball.is_finite():
        return (
            "has no finite value: a division by zero, or a root or logarithm of a negative number"
        )
    if abs(ball) > arb(np.finfo(np.float64).max):
        return f"is {ball.str(3)}, beyond the largest float64"
    low, high = ball.lower(), ball.upper()
    return f"has no sure float64: it lies between {low.str(20)} and {high.str(20)}"
