"""Ball arithmetic: every element is an interval that surely holds the exact result.

Fredrik Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE
Transactions on Computers 66 (2017). The working precision is flint's, `flint.ctx.prec`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from judge.authoring.arithmetic.elements import Array, Elements
from judge.authoring.arithmetic.interface import Undecided


def _less(x: arb, y: arb) -> arb:
    """1 or 0 where the balls are apart, else the ball [0, 1], which no precision rounds."""
    if x < y:
        return arb(1)
    if x >= y:
        return arb(0)
    return arb(0.5, 0.5)


def _where(condition: arb, x: arb, y: arb) -> arb:
    if condition == 1:
        return x
    if condition == 0:
        return y
    return x.union(y)


def _matrix(x: Array) -> arb_mat:
    rows, columns = x.shape
    return arb_mat(rows, columns, x.ravel().tolist())


class Balls(Elements):
    """Arrays of flint's `arb`: what cannot be decided stays a wide ball, never a wrong number.

    ReLU of a ball around 0 is a ball from 0 on; a comparison of overlapping balls is [0, 1].
    """

    functions = {  # noqa: RUF012 (read only)
        "divide": operator.truediv,
        "power": operator.pow,
        "maximum": arb.max,
        "minimum": arb.min,
        "sqrt": arb.sqrt,
        "exp": arb.exp,
        "log": arb.log,
        "sin": arb.sin,
        "cos": arb.cos,
        "tanh": arb.tanh,
        "erf": arb.erf,
        "less": _less,
        "where": _where,
    }

    def number(self, x: Any) -> arb:
        """Return a bool, int, float or ball as a ball; the first three have radius 0."""
        return x if isinstance(x, arb) else arb(x)

    def product(self, x: Array, y: Array) -> Array:
        """Return the product of two matrices."""
        result = np.empty(len(x) * y.shape[1], dtype=object)
        result[:] = (_matrix(x) * _matrix(y)).entries()
        return result.reshape(len(x), y.shape[1])

    def whole(self, x: Any) -> int:
        """Return a ball that holds one whole number and nothing else."""
        value = x.unique_fmpz()
        if value is None or not x.is_exact():
            raise Undecided(f"an index is {x}: not surely a whole number")
        return int(value)
