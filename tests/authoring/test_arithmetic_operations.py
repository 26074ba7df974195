"""Each operation alone: in balls, in digits, and with its error bound, against plain arithmetic."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from arithmetic_operations import DECIMAL, FLOAT, MP, OPERATIONS, number
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from judge.authoring.arithmetic import BOUND_PRECISION, SAFETY, Arithmetic, bound, prove
from judge.authoring.arithmetic.balls import Balls
from judge.authoring.arithmetic.digits import Digits, formula_values
from judge.authoring.arithmetic.errors import Errors

EXAMPLES = settings(max_examples=8, deadline=None)
NAMES = sorted(OPERATIONS)


def drawn(data, operation):
    """Short decimals, and often equal ones, so that comparisons meet ties."""
    thousandths = st.integers(1 if operation.positive else -4000, 4000)
    halves = st.integers(1 if operation.positive else -4, 4).map(lambda k: 500 * k)
    elements = st.one_of(thousandths, halves).map(lambda k: k / 1000)
    return [data.draw(arrays(np.float64, shape, elements=elements)) for shape in operation.shapes]


def exact_results(operation, inputs):
    """The plain form over fractions, or over 60 digits where it is not rational."""
    if operation.rational:
        objects = [np.vectorize(Fraction, otypes=[object])(x) for x in inputs]
    else:
        objects = [np.vectorize(MP.mpf, otypes=[object])(x) for x in inputs]
    results = np.array(operation.plain(DECIMAL, *objects), dtype=object)
    return np.vectorize(number, otypes=[object])(results)


def nearest(exact):
    # What 60 digits leave of an exact zero is no number.
    return 0.0 if abs(exact) < Fraction(1, 10**45) else float(exact)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EXAMPLES
def test_balls_and_digits_both_give_the_nearest_floats(name, data):
    operation = OPERATIONS[name]
    inputs = drawn(data, operation)
    expected = exact_results(operation, inputs)
    proof = prove(operation.apply, inputs)
    assert proof.values.shape == expected.shape
    assert [x.hex() for x in proof.values.flat] == [nearest(x).hex() for x in expected.flat]
    assert np.array_equal(formula_values(operation.apply, inputs), proof.values)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EXAMPLES
def test_float64_stays_below_the_bound_of_every_element(name, data):
    operation = OPERATIONS[name]
    inputs = drawn(data, operation)
    expected = exact_results(operation, inputs)
    actual = np.asarray(operation.plain(FLOAT, *inputs), dtype=np.float64)
    with ctx.workprec(BOUND_PRECISION):
        ops = Errors()
        result = operation.apply(ops, *map(ops.constant, inputs))
    assert ops.shape(result) == expected.shape
    for exact, got, error in zip(expected.flat, actual.flat, result.error.flat, strict=True):
        assert abs(number(float(got)) - exact) <= SAFETY * float(error.upper()) + 1e-45
    assert bound(operation.apply, inputs) < 1e-10


SMOOTH = [name for name in NAMES if OPERATIONS[name].smooth]
OFFSET = 2**20
"""Added and subtracted again, it leaves float64 operands wrong in their last 20 bits."""


@pytest.mark.parametrize("name", SMOOTH)
@given(data=st.data())
@EXAMPLES
def test_errors_of_the_operands_are_carried(name, data):
    operation = OPERATIONS[name]
    inputs = drawn(data, operation)

    def worn(ops, *arguments):
        return operation.apply(ops, *(ops.subtract(ops.add(x, OFFSET), OFFSET) for x in arguments))

    expected = exact_results(operation, inputs)
    actual = np.asarray(operation.plain(FLOAT, *((x + OFFSET) - OFFSET for x in inputs)))
    with ctx.workprec(BOUND_PRECISION):
        ops = Errors()
        result = worn(ops, *map(ops.constant, inputs))
    for exact, got, error in zip(expected.flat, actual.flat, result.error.flat, strict=True):
        assert abs(number(float(got)) - exact) <= SAFETY * float(error.upper()) + 1e-45
    assert bound(worn, inputs) < 1.0


def test_every_operation_of_the_vocabulary_is_tested_and_documented():
    vocabulary = {name for name in vars(Arithmetic) if not name.startswith("_")}
    tested = {name for name in vocabulary if any(key.startswith(name) for key in OPERATIONS)}
    assert vocabulary - tested == {"shape"}
    assert [name for name in vocabulary if f"`{name}" not in (Arithmetic.__doc__ or "")] == []


@pytest.mark.parametrize("ops", [Balls(), Errors(), Digits(mpmath.MPContext())])
def test_every_arithmetic_has_the_whole_vocabulary(ops):
    vocabulary = {name for name in vars(Arithmetic) if not name.startswith("_")}
    assert [name for name in sorted(vocabulary) if not callable(getattr(ops, name, None))] == []
    assert ops.shape(ops.constant([[1, 2, 3], [4, 5, 6]])) == (2, 3)
    assert ops.shape(ops.constant(1.5)) == ()


@pytest.mark.parametrize("ops", [Balls(), Errors(), Digits(mpmath.MPContext())])
def test_shapes_that_do_not_fit_are_refused(ops):
    with pytest.raises(ValueError, match=r"matmul: shapes \(2, 3\) and \(2, 3\) do not fit"):
        ops.matmul(ops.broadcast_to(1, (2, 3)), ops.broadcast_to(1, (2, 3)))
    with pytest.raises(ValueError, match=r"axis 2 does not exist in shape \(2, 3\)"):
        ops.sum(ops.broadcast_to(1, (2, 3)), axis=2)
    with pytest.raises(ValueError, match="no elements"):
        ops.mean(ops.broadcast_to(1, (2, 0)), axis=1)
