"""The error bounds: every source of rounding is in them, and none is far too large."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.authoring.arithmetic import BOUND_PRECISION, SAFETY, bound
from judge.authoring.arithmetic.errors import Errors

UNIT = 2.0**-53
EPSILON = 1e-6


def errors_of(function, *inputs):
    """The first-order bounds of all elements, without the factor of safety."""
    with ctx.workprec(BOUND_PRECISION):
        ops = Errors()
        result = ops.constant(function(ops, *map(ops.constant, inputs)))
        return np.array([float(e.upper()) for e in result.error.flat]).reshape(ops.shape(result))


def about(value):
    return pytest.approx(value, rel=1e-9, abs=0)


def true_error(actual, expected):
    return float(abs(Fraction(float(actual)) - expected))


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_the_worst_order_of_a_sum_is_bounded_and_reached(count):
    # From the left, every small term is lost; from the right, hardly any.
    terms = np.array([1.0] + [UNIT] * (count - 1))
    total = 0.0
    for term in terms:
        total += term
    missed = true_error(total, 1 + Fraction(count - 1, 2**53))
    limit = errors_of(lambda ops, x: ops.sum(x), terms)
    assert missed <= limit <= missed * 1.001


@pytest.mark.parametrize("count", [2, 10, 100])
def test_the_worst_order_of_a_matrix_product_is_bounded_and_nearly_reached(count):
    row, column = np.array([[1.0] + [UNIT] * (count - 1)]), np.ones((count, 1))
    missed = true_error(1.0, 1 + Fraction(count - 1, 2**53))
    (limit,) = errors_of(lambda ops, x, y: ops.matmul(x, y), row, column).ravel()
    assert missed <= limit <= missed * count / (count - 1) * 1.001


def test_a_matrix_product_counts_the_rounding_of_each_product():
    row, column = np.array([[1 + 2.0**-30]]), np.array([[1 + 2.0**-30]])
    missed = true_error((row @ column)[0, 0], (1 + Fraction(1, 2**30)) ** 2)
    (limit,) = errors_of(lambda ops, x, y: ops.matmul(x, y), row, column).ravel()
    assert 0 < missed <= limit


def test_errors_of_both_factors_of_a_matrix_product_are_carried():
    def product(ops, x, y):
        return ops.matmul(ops.divide(x, 3), ops.divide(y, 3))

    one_sided = errors_of(lambda ops, x, y: ops.matmul(ops.divide(x, 3), y), *[np.ones((2, 2))] * 2)
    # Entries 1/9 twice: two products and a sum, and one unit from each factor.
    assert errors_of(product, *[np.ones((2, 2))] * 2) == about(4 * UNIT * 2 / 9)
    assert one_sided == about(3 * UNIT * 2 / 3)


@pytest.mark.parametrize("many", [False, True])
def test_three_terms_may_be_added_in_any_order(many):
    x, y, z = 1e8, 1.1, -1e8  # (x + y) + z loses what (x + z) + y keeps
    expected = Fraction(x) + Fraction(y) + Fraction(z)
    missed = true_error((x + y) + z, expected)
    if many:
        limit = errors_of(lambda ops, x: ops.add(x, y, z), np.array(x))
    else:
        limit = errors_of(lambda ops, x: ops.add(ops.add(x, z), y), np.array(x))
    assert (missed <= limit) == many


def one_pass(x):
    return np.mean(x * x, axis=-1, keepdims=True) - np.mean(x, axis=-1, keepdims=True) ** 2


@given(
    st.integers(0, 2**32), st.sampled_from([2, 3, 8, 30]), st.sampled_from([0.0, 1.0, 30.0, 1e3])
)
@settings(max_examples=40, deadline=None)
def test_variance_in_one_pass_or_two_stays_below_the_bound(seed, count, offset):
    x = np.random.default_rng(seed).normal(size=(1, count)) + offset
    row = [Fraction(v) for v in x[0]]
    mean = sum(row) / count
    expected = sum((v - mean) ** 2 for v in row) / count
    limit = errors_of(lambda ops, x: ops.variance(x, axis=-1), x)[0]
    assert true_error(one_pass(x)[0, 0], expected) <= limit
    assert true_error(x.var(axis=-1)[0], expected) <= limit


def test_one_pass_of_variance_needs_the_room_that_the_bound_gives():
    x = np.array([[1000.1, 1000.2, 1000.4]])
    mean = sum(map(Fraction, x[0])) / 3
    expected = sum((Fraction(v) - mean) ** 2 for v in x[0]) / 3
    missed = true_error(one_pass(x)[0, 0], expected)
    two_passes_only = (3 + 3) * UNIT * float(expected)
    limit = errors_of(lambda ops, x: ops.variance(x, axis=-1), x)[0]
    assert two_passes_only < missed <= limit < 1000 * missed


def test_layer_norm_with_folded_scale_and_shift_needs_its_room():
    x, gamma, beta = np.array([[1000.1, 1000.2, 1000.4]]), np.ones(3), np.zeros(3)
    factor = gamma / np.sqrt(x.var(axis=-1, keepdims=True) + EPSILON)
    folded = x * factor + (beta - x.mean(axis=-1, keepdims=True) * factor)
    row = [Fraction(v) for v in x[0]]
    mean = sum(row) / 3
    variance = sum((v - mean) ** 2 for v in row) / 3 + Fraction(EPSILON)
    root = Fraction(math.isqrt(int(variance * 10**100)), 10**50)
    limits = errors_of(lambda ops, x: ops.layer_norm(x, gamma, beta, EPSILON), x)[0]
    missed = [true_error(y, (v - mean) / root) for y, v in zip(folded[0], row, strict=True)]
    assert all(error <= limit for error, limit in zip(missed, limits, strict=True))
    assert max(missed) > 1000 * UNIT


def test_a_single_feature_is_centered_without_any_error():
    x = np.array([[0.1], [0.7]])
    assert errors_of(lambda ops, x: ops.center(x), x).tolist() == [[0.0], [0.0]]
    assert errors_of(lambda ops, x: ops.variance(x, axis=-1), x).tolist() == [0.0, 0.0]


def test_softmax_of_large_logits_is_charged_for_the_shift():
    near, far = np.array([[0.0, 0.1]]), np.array([[0.0, 30.1]])
    weight = 1 / (1 + math.exp(30.1))
    assert errors_of(lambda ops, x: ops.softmax(x), near)[0, 0] < 10 * UNIT
    charged = errors_of(lambda ops, x: ops.softmax(x), far)[0, 0]
    assert charged >= weight * 30.1 * UNIT


def test_a_saturated_softmax_hides_the_errors_of_its_logits():
    def weights(ops, x):
        return ops.softmax(ops.divide(x, 3))

    even = errors_of(weights, np.array([[30.0, 30.0]]))
    saturated = errors_of(weights, np.array([[30.0, -300.0]]))
    assert saturated[0, 1] < 1e-40
    assert saturated[0, 0] < even[0, 0]


def test_relu_drops_the_error_of_what_is_surely_negative_only():
    x = np.array([-1.0, 0.0, 1.0])
    limits = errors_of(lambda ops, x: ops.relu(ops.divide(x, 3)), x)
    assert limits[0] == 0.0
    assert limits[2] == about(UNIT / 3)
    # Here rounding may put the sum on either side of 0.
    (unsure,) = errors_of(
        lambda ops, x: ops.relu(ops.subtract(ops.divide(x, 3), 1 / 3)), np.array([1.0])
    )
    assert unsure >= UNIT / 3


def test_the_root_of_a_number_near_zero_has_a_finite_bound():
    def root(ops, x):
        return ops.sqrt(ops.subtract(ops.divide(x, 3), 1 / 3))

    (limit,) = errors_of(root, np.array([1.0]))
    missed = math.sqrt(Fraction(1, 3) - Fraction(1 / 3))  # float64 has the difference as 0
    assert missed <= SAFETY * limit < 1e-7
    assert errors_of(lambda ops, x: ops.sqrt(x), np.array([0.0])) == 0.0
    # Where the error is far larger than the number, the root of the error is the bound.
    worn = errors_of(
        lambda ops, x: ops.sqrt(ops.subtract(ops.add(x, 2**20), 2**20)), np.array([0.0, 1e-12])
    )
    assert worn == pytest.approx(math.sqrt(2**20 * UNIT), rel=1e-6, abs=0)


def test_a_comparison_that_rounding_may_turn_is_unsure():
    def above(ops, x):
        return ops.greater(ops.divide(x, 3), 1 / 3)

    assert errors_of(above, np.array([1.0, 1.1, 0.9])).tolist() == [1.0, 0.0, 0.0]
    assert bound(above, [np.array([1.0])]) >= 1.0


def test_a_choice_by_an_unsure_condition_may_give_the_other_value():
    def step(ops, x):
        return ops.where(ops.greater(ops.divide(x, 3), 1 / 3), 10, -10)

    assert errors_of(step, np.array([1.0, 2.0])).tolist() == [20.0, 0.0]
    # A whole number that may be another one is no exact whole number.
    assert errors_of(lambda ops, x: ops.add(step(ops, x), 1), np.array([1.0])) >= 20.0
    assert errors_of(lambda ops, x: ops.sum(step(ops, x)), np.array([1.0])) >= 20.0


def test_an_index_that_rounding_may_turn_has_no_bound():
    def largest(ops, x):
        return ops.take(x, ops.argmax(ops.divide(x, 3)))

    assert bound(largest, [np.array([1.0, 1 + 2.0**-52])]) == math.inf
    assert bound(largest, [np.array([1.0, 2.0])]) == 0.0


def test_whole_numbers_that_float64_holds_are_never_rounded():
    def whole(ops, x):
        return ops.sum(ops.multiply(ops.subtract(x, 3), x))

    assert bound(whole, [np.array([1, 2, 300])]) == 0.0
    assert bound(whole, [np.array([1, 2, 2**30])]) > 0.0


def test_a_mask_of_minus_infinity_is_as_good_as_a_mask():
    logits = np.array([[0.3, 0.9, 0.5]])
    hidden = np.array([[0.0, -math.inf, 0.0]])
    added = errors_of(lambda ops, x: ops.softmax(ops.add(x, hidden)), logits)
    masked = errors_of(lambda ops, x: ops.softmax(x, mask=np.array([1, 0, 1])), logits)
    assert added[0, 1] == masked[0, 1] == 0.0
    assert (added >= masked).all()
    assert (added < 2 * masked + UNIT).all()


def test_what_has_no_value_has_no_bound():
    assert bound(lambda ops, x: ops.divide(1, x), [np.array([1.0, 0.0])]) == math.inf
    assert bound(lambda ops, x: ops.log(x), [np.array([-1.0])]) == math.inf
