"""First-order worst-case rounding errors of float64 programs, carried through exact values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb

from judge.authoring.arithmetic.elements import leading, restore
from judge.authoring.arithmetic.interface import Axes, Undecided
from judge.authoring.arithmetic.rounding_model import (
    LIBRARY,
    UNIT,
    ZERO,
    Estimate,
    balls,
    choice_error,
    comparison_error,
    each,
    estimate,
    is_zero,
    larger_error,
    mean_rounding,
    power_error,
    root_error,
    rounded,
    stays_whole,
    variance_rounding,
)


class Errors:
    """The arithmetic that bounds errors, in balls throughout: no float64 program takes part.

    So a bound depends on neither BLAS nor NumPy. Where float64 programs differ, it allows for each
    sane way: sums in any order, variance in one pass or two, layer norm with its scale and shift
    folded into one factor and one summand, softmax with a shift or without.
    """

    # ruff: noqa: D102 (Arithmetic documents the operations)

    def constant(self, x: Any) -> Estimate:
        return x if isinstance(x, Estimate) else estimate(balls.constant(x), ZERO)

    def shape(self, x: Estimate) -> tuple[int, ...]:
        return x.value.shape

    def add(self, x: Any, y: Any, *more: Any) -> Estimate:
        terms = [self.constant(term) for term in (x, y, *more)]
        value, carried, magnitude = (
            balls.add(*parts)
            for parts in (
                [term.value for term in terms],
                [term.error for term in terms],
                [abs(term.value) for term in terms],
            )
        )
        if stays_whole(magnitude, *terms):
            return estimate(value, ZERO)
        # The last of two additions rounds its result, the earlier ones of more any partial sum.
        return rounded(value, carried + len(more) * UNIT * magnitude)

    def subtract(self, x: Any, y: Any) -> Estimate:
        return self.add(x, self.negative(y))

    def multiply(self, x: Any, y: Any) -> Estimate:
        x, y = self.constant(x), self.constant(y)
        value = x.value * y.value
        if stays_whole(abs(value), x, y):
            return estimate(value, ZERO)
        return rounded(value, abs(x.value) * y.error + abs(y.value) * x.error)

    def divide(self, x: Any, y: Any) -> Estimate:
        x, y = self.constant(x), self.constant(y)
        value = x.value / y.value
        return rounded(value, (x.error + abs(value) * y.error) / abs(y.value))

    def power(self, x: Any, y: Any) -> Estimate:
        x, y = self.constant(x), self.constant(y)
        carried = each(power_error, x.value, x.error, y.value, y.error)
        return rounded(balls.power(x.value, y.value), carried, LIBRARY)

    def maximum(self, x: Any, y: Any) -> Estimate:
        x, y = self.constant(x), self.constant(y)
        error = each(larger_error, x.value, x.error, y.value, y.error)
        return estimate(balls.maximum(x.value, y.value), error)

    def minimum(self, x: Any, y: Any) -> Estimate:
        return self.negative(self.maximum(self.negative(x), self.negative(y)))

    def negative(self, x: Any) -> Estimate:
        x = self.constant(x)
        return estimate(-x.value, x.error)

    def absolute(self, x: Any) -> Estimate:
        x = self.constant(x)
        return estimate(abs(x.value), x.error)

    def square(self, x: Any) -> Estimate:
        return self.multiply(x, x)

    def sqrt(self, x: Any) -> Estimate:
        x = self.constant(x)
        value = balls.sqrt(x.value)
        return rounded(value, each(root_error, value, x.error))

    def exp(self, x: Any) -> Estimate:
        x = self.constant(x)
        value = balls.exp(x.value)
        return rounded(value, value * x.error, LIBRARY)

    def log(self, x: Any) -> Estimate:
        x = self.constant(x)
        return rounded(balls.log(x.value), x.error / abs(x.value), LIBRARY)

    def sin(self, x: Any) -> Estimate:
        x = self.constant(x)
        return rounded(balls.sin(x.value), abs(balls.cos(x.value)) * x.error, LIBRARY)

    def cos(self, x: Any) -> Estimate:
        x = self.constant(x)
        return rounded(balls.cos(x.value), abs(balls.sin(x.value)) * x.error, LIBRARY)

    def tanh(self, x: Any) -> Estimate:
        x = self.constant(x)
        value = balls.tanh(x.value)
        return rounded(value, (1 - value * value) * x.error, LIBRARY)

    def erf(self, x: Any) -> Estimate:
        x = self.constant(x)
        slope = balls.exp(-x.value * x.value) * (2 / arb.pi().sqrt())
        return rounded(balls.erf(x.value), slope * x.error, LIBRARY)

    def sigmoid(self, x: Any) -> Estimate:
        return self.divide(1, self.add(1, self.exp(self.negative(x))))

    def relu(self, x: Any) -> Estimate:
        return self.maximum(x, 0)

    def less(self, x: Any, y: Any) -> Estimate:
        x, y = self.constant(x), self.constant(y)
        unsure = each(comparison_error, x.value - y.value, x.error + y.error)
        return estimate(balls.less(x.value, y.value), unsure)

    def less_equal(self, x: Any, y: Any) -> Estimate:
        return self.subtract(1, self.less(y, x))

    def greater(self, x: Any, y: Any) -> Estimate:
        return self.less(y, x)

    def greater_equal(self, x: Any, y: Any) -> Estimate:
        return self.less_equal(y, x)

    def equal(self, x: Any, y: Any) -> Estimate:
        return self.multiply(self.less_equal(x, y), self.less_equal(y, x))

    def where(self, condition: Any, x: Any, y: Any) -> Estimate:
        condition, x, y = self.constant(condition), self.constant(x), self.constant(y)
        gap = abs(x.value - y.value)
        error = each(choice_error, condition.value, condition.error, x.error, y.error, gap)
        return estimate(balls.where(condition.value, x.value, y.value), error)

    def sum(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Estimate:
        x = self.constant(x)
        value, error = (balls.sum(part, axis, keepdims) for part in (x.value, x.error))
        magnitude = balls.sum(abs(x.value), axis, keepdims)
        if stays_whole(magnitude, x):
            return estimate(value, ZERO)
        additions = len(leading(x.value, axis)) - 1
        return estimate(value, error + additions * UNIT * magnitude)

    def mean(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Estimate:
        x = self.constant(x)
        value, error = (balls.mean(part, axis, keepdims=True) for part in (x.value, x.error))
        return _reduced(value, error + mean_rounding(x.value, axis), x, axis, keepdims)

    def variance(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Estimate:
        x = self.constant(x)
        value = balls.variance(x.value, axis, keepdims=True)
        # An error of the mean moves the variance in second order only: the deviations sum to 0.
        deviations = abs(balls.center(x.value, axis))
        carried = 2 * balls.mean(deviations * x.error, axis, keepdims=True)
        return _reduced(value, carried + variance_rounding(x.value, axis), x, axis, keepdims)

    def max(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Estimate:
        x = self.constant(x)
        rows = [*map(estimate, leading(x.value, axis), leading(x.error, axis))]
        result = rows[0]
        for row in rows[1:]:
            result = self.maximum(result, row)
        return _reduced(result.value, result.error, x, axis, keepdims)

    def min(self, x: Any, axis: Axes = None, keepdims: bool = False) -> Estimate:
        return self.negative(self.max(self.negative(x), axis, keepdims))

    def center(self, x: Any, axis: Axes = -1) -> Estimate:
        x = self.constant(x)
        value = balls.center(x.value, axis)
        if len(leading(x.value, axis)) == 1:  # x - x is 0 in float64 too
            return estimate(value, ZERO)
        mean_error = balls.mean(x.error, axis, keepdims=True) + mean_rounding(x.value, axis)
        return rounded(value, x.error + mean_error)

    def argmax(self, x: Any, axis: int = -1) -> Estimate:
        x = self.constant(x)
        rows = [*map(estimate, leading(x.value, axis), leading(x.error, axis))]
        best, place = rows[0], self.broadcast_to(0, rows[0].value.shape)
        for i, row in enumerate(rows[1:], start=1):
            place = self.where(self.less(best, row), i, place)
            best = self.maximum(best, row)
        return place

    def cumulative_sum(self, x: Any, axis: int = -1) -> Estimate:
        x = self.constant(x)
        rows = Estimate(leading(x.value, axis), leading(x.error, axis))
        sums = [self.sum(self.index(rows, slice(i + 1)), 0) for i in range(len(rows.value))]
        return self.stack(sums, axis)

    def matmul(self, x: Any, y: Any) -> Estimate:
        x, y = self.constant(x), self.constant(y)
        value = balls.matmul(x.value, y.value)
        x_size, y_size = abs(x.value), abs(y.value)
        roundings = x.value.shape[-1] * UNIT  # n products, n - 1 additions
        error = balls.matmul(x.error + roundings * x_size, y_size)
        if not is_zero(y.error):
            error = error + balls.matmul(x_size, y.error)
        return estimate(value, error)

    def softmax(self, x: Any, axis: int = -1, mask: Any = None) -> Estimate:
        x = self.constant(x)
        if mask is not None:
            x = self.where(mask, x, float("-inf"))
        weights = balls.softmax(x.value, axis)
        shift = abs(x.value - balls.max(x.value, axis, keepdims=True))
        # d w_i = w_i (d x_i - sum_j w_j d x_j); the largest of it, signs free.
        logit_error = each(_where_weighted, weights, x.error + UNIT * shift)
        shares = weights * logit_error
        others = balls.sum(shares, axis, keepdims=True) - shares
        roundings = (x.value.shape[axis] + 2 * LIBRARY) * UNIT
        error = weights * (logit_error * (1 - weights) + others + roundings)
        return estimate(weights, error)

    def layer_norm(self, x: Any, gamma: Any, beta: Any, epsilon: Any) -> Estimate:
        x, gamma, beta = self.constant(x), self.constant(gamma), self.constant(beta)
        deviation = self.sqrt(self.add(self.variance(x, -1, keepdims=True), epsilon))
        scaled = self.multiply(gamma, self.divide(self.center(x), deviation))
        result = self.add(scaled, beta)
        # The same as x * factor + summand, with the summand beta - mean(x) * factor.
        factor = gamma.value / deviation.value
        shifted = factor * balls.mean(x.value, -1, keepdims=True)
        folded = abs(factor * x.value) + abs(shifted) + abs(beta.value - shifted)
        return estimate(result.value, result.error + UNIT * folded)

    def reshape(self, x: Any, shape: Sequence[int]) -> Estimate:
        x = self.constant(x)
        return estimate(balls.reshape(x.value, shape), balls.reshape(x.error, shape))

    def transpose(self, x: Any, axes: Sequence[int] | None = None) -> Estimate:
        x = self.constant(x)
        return estimate(balls.transpose(x.value, axes), balls.transpose(x.error, axes))

    def broadcast_to(self, x: Any, shape: Sequence[int]) -> Estimate:
        x = self.constant(x)
        return estimate(balls.broadcast_to(x.value, shape), balls.broadcast_to(x.error, shape))

    def index(self, x: Any, key: Any) -> Estimate:
        x = self.constant(x)
        return estimate(balls.index(x.value, key), balls.index(x.error, key))

    def take(self, x: Any, indices: Any, axis: int = 0) -> Estimate:
        x, rows = self.constant(x), self.constant(indices)
        if not is_zero(rows.error):
            raise Undecided("an index may be another one in float64: two elements are too close")
        return estimate(
            balls.take(x.value, rows.value, axis), balls.take(x.error, rows.value, axis)
        )

    def concatenate(self, parts: Sequence[Any], axis: int = 0) -> Estimate:
        parts = [self.constant(part) for part in parts]
        return estimate(
            balls.concatenate([part.value for part in parts], axis),
            balls.concatenate([part.error for part in parts], axis),
        )

    def stack(self, parts: Sequence[Any], axis: int = 0) -> Estimate:
        parts = [self.constant(part) for part in parts]
        return estimate(
            balls.stack([part.value for part in parts], axis),
            balls.stack([part.error for part in parts], axis),
        )


def _where_weighted(weight: arb, logit_error: arb) -> arb:
    """A logit of minus infinity has weight 0, whatever its error."""
    return ZERO if weight.is_zero() else logit_error


def _reduced(value: Any, error: Any, x: Estimate, axis: Axes, keepdims: bool) -> Estimate:
    """Give a reduction's result the shape that `keepdims` asks for."""
    shape = x.value.shape
    return estimate(restore(value, shape, axis, keepdims), restore(error, shape, axis, keepdims))
