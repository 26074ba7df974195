"""A second opinion on proved results: the same function again in mpmath's decimal digits.

Nothing here proves anything. It shares no arithmetic with the proof, and its programs need share no
line with the exact reference, so that a mistake in either shows.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from judge.authoring.arithmetic.elements import Array, Elements
from judge.authoring.arithmetic.interface import Undecided

GUARD = 20
"""Decimal digits that rounding is trusted not to reach; results within them of a tie are redone."""

ENOUGH = 400
"""Digits that tell a zero from every float64 (the smallest is 5e-324), guard digits included."""


class Digits(Elements):
    """Arrays of mpmath's `mpf`, at the precision of an mpmath context.

    Args:
        mp: the context, an `mpmath.MPContext`.
    """

    def __init__(self, mp: Any) -> None:
        self.mp = mp
        self.functions = {
            "divide": operator.truediv,
            "power": mp.power,
            "maximum": max,
            "minimum": min,
            "sqrt": mp.sqrt,
            "exp": mp.exp,
            "log": mp.log,
            "sin": mp.sin,
            "cos": mp.cos,
            "tanh": mp.tanh,
            "erf": mp.erf,
            "less": lambda x, y: mp.mpf(x < y),
            "where": lambda condition, x, y: x if condition else y,
        }

    def number(self, x: Any) -> Any:
        """Return a Python number as an `mpf`."""
        return self.mp.mpf(x)

    def product(self, x: Array, y: Array) -> Array:
        """Return the product of two matrices."""
        result = np.empty((len(x), y.shape[1]), dtype=object)
        for i, j in np.ndindex(*result.shape):
            result[i, j] = self.mp.fdot(x[i], y[:, j])
        return result

    def whole(self, x: Any) -> int:
        """Return an element that is a whole number; raises Undecided when it is none."""
        if not self.mp.isint(x):
            raise Undecided(f"an index is {x}: not a whole number")
        return int(x)


def second_opinion(
    function: Callable[..., Any], inputs: Sequence[Any], digits: int = 60
) -> np.ndarray:
    """Evaluate a program of plain loops over an mpmath context, rounded to float64.

    Args:
        function: `function(mp, *inputs)`; `mp` is an `mpmath.MPContext`. Float arrays reach it as
            nested lists of `mpf`, other arrays as nested lists, Python numbers as they are. It
            returns a number or nested lists.
        inputs: NumPy arrays and Python numbers.
        digits: significant decimal digits to begin with.

    Returns:
        float64, rounded to nearest, zeros as +0.0.

    Raises:
        Undecided: an element is no number, or beyond the largest float64.
    """
    return _settle(lambda mp: function(mp, *(_nested(mp, x) for x in inputs)), digits)


def formula_values(
    function: Callable[..., Any], inputs: Sequence[Any], digits: int = 60
) -> np.ndarray:
    """Evaluate an exact reference, `function(ops, *inputs)`, over mpmath; else as second_opinion.

    For a bundle that brings no program of its own: another arithmetic, but the same formulas.
    """

    def evaluate(mp: Any) -> Array:
        ops = Digits(mp)
        arguments = (ops.constant(x) if isinstance(x, np.ndarray) else x for x in inputs)
        return ops.constant(function(ops, *arguments))

    return _settle(evaluate, digits)


def _settle(evaluate: Callable[[Any], Any], digits: int) -> np.ndarray:
    """Evaluate with more and more digits until no result lies within the guard digits of a tie.

    What then still does is taken for the tie itself, and goes to the even neighbour.
    """
    mp = mpmath.MPContext()
    for places in (digits, max(2 * digits, ENOUGH), max(4 * digits, 2 * ENOUGH)):
        mp.dps = places
        results = np.array(evaluate(mp), dtype=object)
        ends = [_ends(mp, x, Fraction(10) ** (GUARD - places)) for x in results.flat]
        if all(low == high for low, high in ends):
            break
    for place, (low, high) in zip(np.ndindex(*results.shape), ends, strict=True):
        if not np.isfinite([low, high]).all():
            raise Undecided(
                f"element {list(place)} is {mp.nstr(results[place], 20)}: not a float64"
            )
    values = [float((Fraction(low) + Fraction(high)) / 2) for low, high in ends]
    return np.array(values).reshape(results.shape)


def _ends(mp: Any, x: Any, margin: Fraction) -> tuple[float, float]:
    """Round the two ends of the guard digits' reach to float64."""
    if not mp.isfinite(x):
        return math.nan, math.nan
    exact = Fraction(*mpmath.libmp.to_rational(mp.mpf(x)._mpf_))
    reach = margin * (1 + abs(exact))
    try:
        return float(exact - reach), float(exact + reach)
    except OverflowError:
        return math.inf, math.inf


def _nested(mp: Any, x: Any) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    return x.astype(object).tolist() if x.dtype.kind != "f" else _to_mpf(mp, x.tolist())


def _to_mpf(mp: Any, x: Any) -> Any:
    return [_to_mpf(mp, item) for item in x] if isinstance(x, list) else mp.mpf(x)
