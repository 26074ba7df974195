"""Every operation of the arithmetics beside the same thing in plain NumPy, which runs on floats,
fractions and mpmath's numbers alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np

MP = mpmath.MPContext()
MP.dps = 60


@dataclass(frozen=True)
class Operation:
    """An operation: over `ops`, in plain NumPy with functions `m`, and the shapes it takes.

    `rational`: its plain form is right over fractions. `positive`: its inputs are over 0.
    `smooth`: a small change of the inputs makes a small change of the result.
    """

    apply: Callable[..., Any]
    plain: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    rational: bool = True
    positive: bool = False
    smooth: bool = True


def _objects(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return np.vectorize(function, otypes=[object])


ELEMENTARY = ("sqrt", "exp", "log", "sin", "cos", "tanh")
DECIMAL = SimpleNamespace(
    **{name: _objects(getattr(MP, name)) for name in ELEMENTARY},
    erf=_objects(MP.erf),
    power=np.vectorize(MP.power, otypes=[object]),
)
FLOAT = SimpleNamespace(
    **{name: getattr(np, name) for name in ELEMENTARY},
    erf=np.vectorize(math.erf, otypes=[float]),
    power=np.power,
)


def number(x: Any) -> Fraction:
    """Return a float, fraction, mpf or truth value as a fraction."""
    if isinstance(x, MP.mpf):
        return Fraction(*mpmath.libmp.to_rational(x._mpf_))
    return Fraction(x.item() if isinstance(x, np.generic) else x)


def _variance(x, axis):
    return ((x - x.mean(axis=axis, keepdims=True)) ** 2).mean(axis=axis)


def _softmax(m, x, axis):
    weights = m.exp(x - x.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


def _masked_softmax(m, x, mask):
    weights = m.exp(x) * mask
    return weights / weights.sum(axis=-1, keepdims=True)


def _layer_norm(m, x, gamma, beta):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return gamma * centered / m.sqrt(variance + 1e-6) + beta


CAUSAL = np.tril(np.ones((3, 3), dtype=np.int64))
HALF = Fraction(1, 2)

OPERATIONS: dict[str, Operation] = {
    "constant": Operation(lambda ops, x: ops.constant(x), lambda m, x: x, ((2, 3),)),
    "add": Operation(lambda ops, x, y: ops.add(x, y), lambda m, x, y: x + y, ((2, 3), (3,))),
    "add a number": Operation(lambda ops, x: ops.add(3, x), lambda m, x: 3 + x, ((2,),)),
    "add many": Operation(
        lambda ops, x, y, z: ops.add(x, y, z, 1), lambda m, x, y, z: 1 + z + x + y, ((2,),) * 3
    ),
    "subtract": Operation(
        lambda ops, x, y: ops.subtract(x, y), lambda m, x, y: x - y, ((2, 1), (3,))
    ),
    "multiply": Operation(
        lambda ops, x, y: ops.multiply(x, y), lambda m, x, y: x * y, ((2, 3), ())
    ),
    "divide": Operation(
        lambda ops, x, y: ops.divide(x, y), lambda m, x, y: x / y, ((2, 3), (3,)), positive=True
    ),
    "negative": Operation(lambda ops, x: ops.negative(x), lambda m, x: -x, ((3,),)),
    "absolute": Operation(lambda ops, x: ops.absolute(x), lambda m, x: abs(x), ((3,),)),
    "square": Operation(lambda ops, x: ops.square(x), lambda m, x: x * x, ((3,),)),
    "whole power": Operation(lambda ops, x: ops.power(x, 3), lambda m, x: x**3, ((3,),)),
    "maximum": Operation(
        lambda ops, x, y: ops.maximum(x, y), lambda m, x, y: np.maximum(x, y), ((2, 3), (3,))
    ),
    "minimum": Operation(
        lambda ops, x, y: ops.minimum(x, y), lambda m, x, y: np.minimum(x, y), ((2, 3), (3,))
    ),
    "relu": Operation(lambda ops, x: ops.relu(x), lambda m, x: np.maximum(x, 0), ((2, 3),)),
    "less": Operation(
        lambda ops, x, y: ops.less(x, y), lambda m, x, y: x < y, ((9,), (9,)), smooth=False
    ),
    "less_equal": Operation(
        lambda ops, x, y: ops.less_equal(x, y), lambda m, x, y: x <= y, ((9,), (9,)), smooth=False
    ),
    "greater": Operation(
        lambda ops, x, y: ops.greater(x, y), lambda m, x, y: x > y, ((9,), (9,)), smooth=False
    ),
    "greater_equal": Operation(
        lambda ops, x, y: ops.greater_equal(x, y),
        lambda m, x, y: x >= y,
        ((9,), (9,)),
        smooth=False,
    ),
    "equal": Operation(
        lambda ops, x, y: ops.equal(x, y), lambda m, x, y: x == y, ((9,), (9,)), smooth=False
    ),
    "where": Operation(
        lambda ops, x, y: ops.where(ops.greater(x, 0), x, y),
        lambda m, x, y: np.where(x > 0, x, y),
        ((2, 3), (3,)),
        smooth=False,
    ),
    "sum": Operation(lambda ops, x: ops.sum(x), lambda m, x: x.sum(), ((2, 3),)),
    "sum over an axis": Operation(
        lambda ops, x: ops.sum(x, axis=0), lambda m, x: x.sum(axis=0), ((2, 3),)
    ),
    "sum over two axes": Operation(
        lambda ops, x: ops.sum(x, axis=(-1, 0), keepdims=True),
        lambda m, x: x.sum(axis=(0, 2), keepdims=True),
        ((2, 3, 2),),
    ),
    "mean": Operation(
        lambda ops, x: ops.mean(x, axis=-1), lambda m, x: x.sum(axis=-1) / 3, ((2, 3),)
    ),
    "mean of all": Operation(lambda ops, x: ops.mean(x), lambda m, x: x.sum() / 6, ((2, 3),)),
    "variance": Operation(
        lambda ops, x: ops.variance(x, axis=-1), lambda m, x: _variance(x, -1), ((2, 5),)
    ),
    "variance of one": Operation(
        lambda ops, x: ops.variance(x, axis=-1, keepdims=True), lambda m, x: x - x, ((2, 1),)
    ),
    "max": Operation(lambda ops, x: ops.max(x, axis=1), lambda m, x: x.max(axis=1), ((2, 3),)),
    "min": Operation(
        lambda ops, x: ops.min(x, axis=0, keepdims=True),
        lambda m, x: x.min(axis=0, keepdims=True),
        ((2, 3),),
    ),
    "center": Operation(
        lambda ops, x: ops.center(x), lambda m, x: x - x.mean(axis=-1, keepdims=True), ((2, 3),)
    ),
    "center of one": Operation(lambda ops, x: ops.center(x), lambda m, x: x - x, ((2, 1),)),
    "argmax": Operation(
        lambda ops, x: ops.argmax(x), lambda m, x: x.argmax(axis=-1), ((2, 6),), smooth=False
    ),
    "argmax over the first axis": Operation(
        lambda ops, x: ops.argmax(x, axis=0), lambda m, x: x.argmax(axis=0), ((4, 2),), smooth=False
    ),
    "cumulative_sum": Operation(
        lambda ops, x: ops.cumulative_sum(x), lambda m, x: x.cumsum(axis=-1), ((2, 4),)
    ),
    "cumulative_sum over the first axis": Operation(
        lambda ops, x: ops.cumulative_sum(x, axis=0), lambda m, x: x.cumsum(axis=0), ((3, 2),)
    ),
    "matmul": Operation(
        lambda ops, x, y: ops.matmul(x, y), lambda m, x, y: x @ y, ((2, 3), (3, 4))
    ),
    "matmul of a stack and a matrix": Operation(
        lambda ops, x, y: ops.matmul(x, y), lambda m, x, y: x @ y, ((2, 2, 3), (3, 2))
    ),
    "matmul of stacks": Operation(
        lambda ops, x, y: ops.matmul(x, y), lambda m, x, y: x @ y, ((2, 1, 2, 3), (2, 3, 2))
    ),
    "reshape": Operation(
        lambda ops, x: ops.reshape(x, (3, -1)), lambda m, x: x.reshape(3, -1), ((2, 3, 2),)
    ),
    "transpose": Operation(
        lambda ops, x: ops.transpose(x, (2, 0, 1)), lambda m, x: x.transpose(2, 0, 1), ((2, 3, 4),)
    ),
    "transpose of all axes": Operation(
        lambda ops, x: ops.transpose(x), lambda m, x: x.T, ((2, 3),)
    ),
    "broadcast_to": Operation(
        lambda ops, x: ops.broadcast_to(x, (2, 2, 3)),
        lambda m, x: np.broadcast_to(x, (2, 2, 3)),
        ((2, 1),),
    ),
    "index": Operation(
        lambda ops, x: ops.index(x, (..., slice(1, None), None)),
        lambda m, x: x[..., 1:, None],
        ((2, 3),),
    ),
    "index of one element": Operation(
        lambda ops, x: ops.index(x, (1, -1)), lambda m, x: x[1, -1], ((2, 3),)
    ),
    "take": Operation(
        lambda ops, x: ops.take(x, [[2, 0], [1, 1]]), lambda m, x: x[[[2, 0], [1, 1]]], ((3, 2),)
    ),
    "take along the last axis": Operation(
        lambda ops, x: ops.take(x, [1, 0, 1], axis=-1), lambda m, x: x[:, [1, 0, 1]], ((3, 2),)
    ),
    "concatenate": Operation(
        lambda ops, x, y: ops.concatenate([x, y], axis=-1),
        lambda m, x, y: np.concatenate([x, y], axis=-1),
        ((2, 3), (2, 1)),
    ),
    "stack": Operation(
        lambda ops, x, y: ops.stack([x, y], axis=1),
        lambda m, x, y: np.stack([x, y], axis=1),
        ((2, 3), (2, 3)),
    ),
    "sqrt": Operation(
        lambda ops, x: ops.sqrt(x), lambda m, x: m.sqrt(x), ((2, 3),), rational=False, positive=True
    ),
    "exp": Operation(lambda ops, x: ops.exp(x), lambda m, x: m.exp(x), ((3,),), rational=False),
    "log": Operation(
        lambda ops, x: ops.log(x), lambda m, x: m.log(x), ((3,),), rational=False, positive=True
    ),
    "sin": Operation(lambda ops, x: ops.sin(x), lambda m, x: m.sin(x), ((3,),), rational=False),
    "cos": Operation(lambda ops, x: ops.cos(x), lambda m, x: m.cos(x), ((3,),), rational=False),
    "tanh": Operation(lambda ops, x: ops.tanh(x), lambda m, x: m.tanh(x), ((3,),), rational=False),
    "erf": Operation(lambda ops, x: ops.erf(x), lambda m, x: m.erf(x), ((3,),), rational=False),
    "sigmoid": Operation(
        lambda ops, x: ops.sigmoid(x), lambda m, x: 1 / (1 + m.exp(-x)), ((3,),), rational=False
    ),
    "power": Operation(
        lambda ops, x, y: ops.power(x, y),
        lambda m, x, y: m.power(x, y),
        ((2, 3), (3,)),
        rational=False,
        positive=True,
    ),
    "softmax": Operation(
        lambda ops, x: ops.softmax(x), lambda m, x: _softmax(m, x, -1), ((2, 3),), rational=False
    ),
    "softmax over the first axis": Operation(
        lambda ops, x: ops.softmax(x, axis=0),
        lambda m, x: _softmax(m, x, 0),
        ((3, 2),),
        rational=False,
    ),
    "softmax under a mask": Operation(
        lambda ops, x: ops.softmax(x, mask=CAUSAL),
        lambda m, x: _masked_softmax(m, x, CAUSAL),
        ((2, 3, 3),),
        rational=False,
    ),
    "layer_norm": Operation(
        lambda ops, x, gamma, beta: ops.layer_norm(x, gamma, beta, 1e-6),
        _layer_norm,
        ((2, 5), (5,), (5,)),
        rational=False,
    ),
    "layer_norm of one feature": Operation(
        lambda ops, x, gamma, beta: ops.layer_norm(x, gamma, beta, 1e-6),
        lambda m, x, gamma, beta: np.broadcast_to(beta, x.shape),
        ((2, 1), (1,), (1,)),
    ),
}
