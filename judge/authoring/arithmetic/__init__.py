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
from judge.authoring.arithmetic.errors import Errors
from judge.authoring.arithmetic.interface import Arithmetic, Undecided
from judge.authoring.arithmetic.rounding import nearest, up_to_two_digits, whole_number

__all__ = ["Arithmetic", "Proof", "Undecided", "bound", "prove", "second_opinion_values"]

PRECISIONS = (192, 384, 768, 1536, 3072)
"""Bits of Ziv's loop. From about 1,075 on a ball around zero is so small that it rounds to zero."""

BOUND_PRECISION = 128
"""Bits at which bounds are computed: enough that their two digits do not depend on it."""

SAFETY = 2
"""What a first-order bound is multiplied with, for all that is of higher order."""

LARGEST = arb(float(np.finfo(np.float64).max))


def _int64(ball: arb) -> int | None:
    return whole_number(ball, -(2**63), 2**63 - 1)


def _bool(ball: arb) -> int | None:
    return whole_number(ball, 0, 1)


DECIDE: dict[str, Callable[[arb], float | None]] = {
    "float64": nearest,
    "float": nearest,
    "int64": _int64,
    "int": _int64,
    "bool": _bool,
}
"""How a ball becomes a number of each type of result; None where it is not sure."""


@dataclass(frozen=True)
class Proof:
    """Proved results.

    Args:
        values: each element is the exact result: of float64 correctly rounded, zeros as +0.0; of
            int64 or bool exactly.
        precision: bits at which all elements were decided.
    """

    values: np.ndarray
    precision: int


def prove(function: Callable[..., Any], inputs: Sequence[Any], dtype: str = "float64") -> Proof:
    """Compute a function's exact results, correctly rounded to float64 (ties to even).

    Ziv's loop: evaluate in balls, and double the precision until both ends of every ball round to
    the same float64 (A. Ziv, "Fast evaluation of elementary mathematical functions with correctly
    rounded last bit", ACM Transactions on Mathematical Software 17, 1991).

    Args:
        function: `function(ops, *inputs)`, an exact reference.
        inputs: NumPy arrays, and Python numbers, which reach the function as they are.
        dtype: of the values: "float64"; "int64" or "bool" for whole numbers and truth values;
            "float" and "int" are the same two, as a signature names Python's types.

    Raises:
        ValueError: there is no arithmetic for such a result.
        Undecided: an element has no value (a division by zero), lies too close to the middle of
            two float64 for the last precision, or is beyond the dtype's numbers.
    """
    if dtype not in DECIDE:
        raise ValueError(f"a result of type {dtype} can't be proved, only {', '.join(DECIDE)}")
    for precision in PRECISIONS:
        with ctx.workprec(precision):
            try:
                return Proof(_values(function, inputs, dtype), precision)
            except Undecided as undecided:
                reason = undecided
    raise reason


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
        return up_to_two_digits(worst)


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
        Undecided: an element is no number, or beyond the largest float64.
    """
    from judge.authoring.arithmetic import digits as mpmath_digits

    return mpmath_digits.second_opinion(function, inputs, digits)


def _arguments(ops: Arithmetic[Any], inputs: Sequence[Any]) -> list[Any]:
    return [ops.constant(x) if isinstance(x, np.ndarray) else x for x in inputs]


def _values(function: Callable[..., Any], inputs: Sequence[Any], dtype: str) -> np.ndarray:
    """Evaluate in balls at flint's precision; raises Undecided at the first unsure element."""
    ops = Balls()
    balls = ops.constant(function(ops, *_arguments(ops, inputs)))
    values = np.empty(balls.shape, dtype=dtype)
    for place, ball in np.ndenumerate(balls):
        try:
            value = DECIDE[dtype](ball)
        except OverflowError:
            value = None
        if value is None:
            raise Undecided(f"element {list(place)} {_why(ball, dtype)}")
        values[place] = value
    return values


def _why(ball: arb, dtype: str) -> str:
    if not ball.is_finite():
        return (
            "has no finite value: a division by zero, or a root or logarithm of a negative number"
        )
    if ball.is_exact() or abs(ball) > LARGEST:
        return f"is {ball.str(20, radius=False)}, which {dtype} does not have"
    low, high = ball.lower().str(20, radius=False), ball.upper().str(20, radius=False)
    return f"has no sure {dtype}: it lies between {low} and {high}"
