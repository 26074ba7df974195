"""Operations on NumPy arrays whose elements are exact numbers: what balls and digits share."""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.authoring.arithmetic.interface import Axes

Array = NDArray[Any]
"""An array of dtype object whose elements are numbers of one arithmetic."""


def as_array(x: Any) -> Array:
    """Return x with dtype object; NumPy gives a bare element where an array has shape ()."""
    return x if isinstance(x, np.ndarray) else np.array(x, dtype=object)


def leading(x: Array, axis: Axes) -> Array:
    """Move the axes into one axis at the front: (elements along the axes, *the other axes)."""
    axes = reduced_axes(x, axis)
    rest = [i for i in range(x.ndim) if i not in axes]
    moved = x.transpose(*axes, *rest)
    count = int(np.prod([x.shape[i] for i in axes], dtype=int))
    if count == 0:
        raise ValueError(f"shape {x.shape} has no elements along axis {axis}")
    return moved.reshape(count, *(x.shape[i] for i in rest))


def restore(x: Array, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Array:
    """Give a reduction's result the axes of size 1 that `keepdims` asks for, or none of them."""
    axes = reduced_axes(np.empty(shape, dtype=bool), axis)
    sizes = [1 if i in axes else size for i, size in enumerate(shape) if keepdims or i not in axes]
    return as_array(x).reshape(sizes)


def reduced_axes(x: NDArray[Any], axis: Axes) -> list[int]:
    """Return the axes as sorted whole numbers from 0."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    for i in axes:
        if not -x.ndim <= i < x.ndim:
            raise ValueError(f"axis {i} does not exist in shape {x.shape}")
    return sorted({i % x.ndim for i in axes})


def pile(function: Callable[[Array, Array], Array], rows: Iterable[Array]) -> Array:
    """Combine the rows one after another: always in this order, unlike NumPy's reductions."""
    return functools.reduce(function, rows)


class Elements(ABC):
    """The operations of `Arithmetic` on arrays of numbers that have Python's operators.

    A subclass says how a Python number becomes an element (`number`), gives the functions of one
    element by name (`functions`), and multiplies two matrices (`product`).
    """

    functions: Mapping[str, Callable[..., Any]]

    @abstractmethod
    def number(self, x: Any) -> Any:
        """Return a Python number, or an element, as an element: exactly."""

    @abstractmethod
    def product(self, x: Array, y: Array) -> Array:
        """Return the product of two matrices."""

    @abstractmethod
    def whole(self, x: Any) -> int:
        """Return an element that is a whole number.

        Raises:
            Undecided: it is not surely one.
        """

    # ruff: noqa: D102 (Arithmetic documents the operations)

    def constant(self, x: Any) -> Array:
        if isinstance(x, np.ndarray) and x.dtype == object:
            return x
        return self._each(self.number, np.asarray(x, dtype=object))

    def shape(self, x: Array) -> tuple[int, ...]:
        return x.shape

    def add(self, x: Any, y: Any, *more: Any) -> Array:
        return as_array(pile(operator.add, map(self.constant, (x, y, *more))))

    def subtract(self, x: Any, y: Any) -> Array:
        return as_array(self.constant(x) - self.constant(y))

    def multiply(self, x: Any, y: Any) -> Array:
        return as_array(self.constant(x) * self.constant(y))

    def divide(self, x: Any, y: Any) -> Array:
        return self._apply("divide", x, y)

    def power(self, x: Any, y: Any) -> Array:
        return self._apply("power", x, y)

    def maximum(self, x: Any, y: Any) -> Array:
        return self._apply("maximum", x, y)

    def minimum(self, x: Any, y: Any) -> Array:
        return self._apply("minimum", x, y)

    def negative(self, x: Any) -> Array:
        return as_array(-self.constant(x))

    def absolute(self, x: Any) -> Array:
        return as_array(abs(self.constant(x)))

    def square(self, x: Any) -> Array:
        x = self.constant(x)
        return as_array(x * x)

    def sqrt(self, x: Any) -> Array:
        return self._apply("sqrt", x)

    def exp(self, x: Any) -> Array:
        return self._apply("exp", x)

    def log(self, x: Any) -> Array:
        return self._apply("log", x)

    def sin(self, x: Any) -> Array:
        return self._apply("sin", x)

    def cos(self, x: Any) -> Array:
        return self._apply("cos", x)

    def tanh(self, x: Any) -> Array:
        return self._apply("tanh", x)

    def erf(self, x: Any) -> Array:
        return self._apply("erf", x)

    def sigmoid(self, x: Any) -> Array:
        return self.divide(1, self.add(1, self.exp(self.negative(x))))

    def relu(self, x: Any) -> Array:
        return self.maximum(x, 0)

    def less(self, x: Any, y: Any) -> Array:
        return self._apply("less", x, y)

    def less_equal(self, x: Any, y: Any) -> Array:
        return self.subtract(1, self.less(y, x))

    def greater(self, x: Any, y: Any) -> Array:
        return self.less(y, x)

    def greater_equal(self, x: Any, y: Any) -> Array:
        return self.less_equal(y, x)

    def equal(self, x: Any, y: Any) -> Array:
        return self.multiply(self.less_equal(x, y), self.less_equal(y, x))

    def where(self, condition: Any, x: Any, y: Any) -> Array:
        return self._apply("where", condition, x, y)

    def sum(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Array:
        x = self.constant(x)
        return restore(pile(operator.add, leading(x, axis)), x.shape, axis, keepdims)

    def mean(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Array:
        x = self.constant(x)
        return self.divide(self.sum(x, axis, keepdims), len(leading(x, axis)))

    def variance(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Array:
        return self.mean(self.square(self.center(x, axis)), axis, keepdims)

    def max(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Array:
        x = self.constant(x)
        return restore(pile(self.maximum, leading(x, axis)), x.shape, axis, keepdims)

    def min(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Array:
        return self.negative(self.max(self.negative(x), axis, keepdims))

    def center(self, x: Any, axis: Axes = -1) -> Array:
        x = self.constant(x)
        if len(leading(x, axis)) == 1:  # a ball minus itself is no zero, x - x is
            return self.broadcast_to(0, x.shape)
        return self.subtract(x, self.mean(x, axis, keepdims=True))

    def argmax(self, x: Any, axis: int = -1) -> Array:
        rows = leading(self.constant(x), axis)
        best, place = as_array(rows[0]), self.broadcast_to(0, rows.shape[1:])
        for i, row in enumerate(rows[1:], start=1):
            place = self.where(self.less(best, row), i, place)
            best = self.maximum(best, row)
        return place

    def cumulative_sum(self, x: Any, axis: int = -1) -> Array:
        rows = leading(self.constant(x), axis)
        sums = [pile(operator.add, rows[: i + 1]) for i in range(len(rows))]
        return np.stack([as_array(row) for row in sums], axis=axis)

    def matmul(self, x: Any, y: Any) -> Array:
        x, y = self.constant(x), self.constant(y)
        if min(x.ndim, y.ndim) < 2 or x.shape[-1] != y.shape[-2]:
            raise ValueError(f"matmul: shapes {x.shape} and {y.shape} do not fit")
        if y.ndim == 2:  # one matrix for the whole stack: one product
            rows = self.product(x.reshape(-1, x.shape[-1]), y)
            return rows.reshape(*x.shape[:-1], y.shape[-1])
        stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        x, y = np.broadcast_to(x, stack + x.shape[-2:]), np.broadcast_to(y, stack + y.shape[-2:])
        result = np.empty((*stack, x.shape[-2], y.shape[-1]), dtype=object)
        for place in np.ndindex(*stack):
            result[place] = self.product(x[place], y[place])
        return result

    def softmax(self, x: Any, axis: int = -1, mask: Any = None) -> Array:
        if mask is not None:
            x = self.where(mask, x, float("-inf"))
        # Whatever is subtracted changes nothing; the largest keeps the exponentials in range.
        weights = self.exp(self.subtract(x, self.max(x, axis, keepdims=True)))
        return self.divide(weights, self.sum(weights, axis, keepdims=True))

    def layer_norm(self, x: Any, gamma: Any, beta: Any, epsilon: Any) -> Array:
        deviation = self.sqrt(self.add(self.variance(x, -1, keepdims=True), epsilon))
        return self.add(self.multiply(gamma, self.divide(self.center(x), deviation)), beta)

    def reshape(self, x: Any, shape: Sequence[int]) -> Array:
        return self.constant(x).reshape(tuple(shape))

    def transpose(self, x: Any, axes: Sequence[int] | None = None) -> Array:
        return self.constant(x).transpose(axes)

    def broadcast_to(self, x: Any, shape: Sequence[int]) -> Array:
        return np.broadcast_to(self.constant(x), tuple(shape))

    def index(self, x: Any, key: Any) -> Array:
        return as_array(self.constant(x)[key])

    def take(self, x: Any, indices: Any, axis: int = 0) -> Array:
        return np.take(self.constant(x), self.indices(indices), axis=axis)

    def concatenate(self, parts: Sequence[Any], axis: int = 0) -> Array:
        return np.concatenate([self.constant(part) for part in parts], axis=axis)

    def stack(self, parts: Sequence[Any], axis: int = 0) -> Array:
        return np.stack([self.constant(part) for part in parts], axis=axis)

    def indices(self, x: Any) -> NDArray[np.int64]:
        """Return whole-number elements as NumPy indices; raises Undecided where one is not."""
        x = self.constant(x)
        return np.array([self.whole(i) for i in x.ravel()], dtype=np.int64).reshape(x.shape)

    def _apply(self, name: str, *operands: Any) -> Array:
        return self._each(self.functions[name], *map(self.constant, operands))

    def _each(self, function: Callable[..., Any], *operands: Any) -> Array:
        return as_array(np.frompyfunc(function, len(operands), 1)(*operands))
