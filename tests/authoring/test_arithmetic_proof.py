"""Ziv's loop, its failures in words, and that neither proof nor bound depends on the machine."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from flint import ctx

from judge.authoring import arithmetic
from judge.authoring.arithmetic import Undecided, bound, prove, second_opinion_values
from judge.authoring.arithmetic.digits import formula_values


def test_most_results_need_the_first_precision_only():
    proof = prove(lambda ops, x: ops.exp(x), [np.array([0.5, -3.0])])
    assert proof.precision == 192
    assert proof.values.tolist() == [math.exp(0.5), math.exp(-3.0)]


def test_a_zero_is_decided_once_its_ball_is_smaller_than_every_float():
    def zero(ops, x):
        return ops.subtract(ops.square(ops.sqrt(x)), x)

    proof = prove(zero, [np.array([2.0, 3.0])])
    assert proof.precision == 1536
    assert [x.hex() for x in proof.values] == ["0x0.0p+0"] * 2


def test_a_result_closer_to_a_tie_than_the_first_precision_takes_another_round():
    # 1 + 2**-53 is a tie; 2**-400 more decides it, and 192 bits do not show it.
    def near_tie(ops, x):
        return ops.add(ops.add(x, 2.0**-53), ops.exp(ops.multiply(-400, ops.log(2.0))))

    proof = prove(near_tie, [np.array(1.0)])
    assert (proof.precision, float(proof.values)) == (768, 1 + 2.0**-52)


def test_a_tie_that_is_exact_goes_to_the_even_neighbour():
    assert prove(lambda ops, x: ops.add(x, 2.0**-53), [np.array(1.0)]).values == 1.0
    assert prove(lambda ops, x: ops.add(x, 2.0**-53), [np.array(1 + 2.0**-52)]).values == (
        1 + 2.0**-51
    )


def test_a_tie_that_no_precision_decides_says_so():
    def tie(ops, x):
        return ops.add(ops.square(ops.sqrt(x)), 2.0**53 - 1)

    with pytest.raises(
        Undecided, match=r"element \[1\] has no sure float64: it lies between 90071"
    ):
        prove(tie, [np.array([4.0, 2.0])])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda ops, x: ops.divide(1, x), r"element \[0, 1\] has no finite value: a division by z"),
        (
            lambda ops, x: ops.exp(ops.add(1e3, x)),
            r"element \[0, 0\] is 5\.\d+e\+434, which float64",
        ),
        (lambda ops, x: ops.sqrt(ops.subtract(x, 2)), r"element \[0, 0\] has no finite value"),
    ],
)
def test_what_float64_does_not_have_is_named_with_its_place(function, message):
    with pytest.raises(Undecided, match=message):
        prove(function, [np.array([[1.0, 0.0]])])


def test_whole_numbers_and_truth_values_are_proved_as_such():
    counts = prove(lambda ops, x: ops.sum(x), [np.array([2**60, 1])], "int64")
    assert (counts.values.dtype, counts.values.shape, int(counts.values)) == (
        "int64",
        (),
        2**60 + 1,
    )
    signs = prove(lambda ops, x: ops.less(x, 0), [np.array([1.0, -1.0])], "bool")
    assert (signs.values.dtype, signs.values.tolist()) == ("bool", [False, True])
    places = prove(lambda ops, x: ops.argmax(x), [np.array([[1.0, 3.0, 3.0]])], "int64")
    assert places.values.tolist() == [1]


def test_a_signature_s_names_of_python_types_will_do():
    assert prove(lambda ops, x: x, [np.array(3)], "int").values.dtype == "int64"
    assert prove(lambda ops, x: x, [np.array(3)], "float").values.dtype == "float64"
    with pytest.raises(ValueError, match="a result of type str can't be proved, only float64, fl"):
        prove(lambda ops, x: x, [np.array(3)], "str")


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda ops, x: ops.divide(x, 2), "int64"),
        (lambda ops, x: ops.multiply(x, 2**63), "int64"),
        (lambda ops, x: ops.add(x, 1), "bool"),
        (lambda ops, x: ops.less(ops.square(ops.sqrt(ops.add(x, 1))), 2), "bool"),
    ],
)
def test_what_is_surely_no_whole_number_of_the_dtype_is_refused(function, dtype):
    with pytest.raises(Undecided, match=dtype):
        prove(function, [np.array([1])], dtype)


def unsure(ops, x):
    """Whether a number is less than 2 that is 2 exactly, which no precision decides."""
    return ops.less(ops.square(ops.sqrt(x)), 2)


def test_a_choice_that_no_precision_decides_gives_no_value():
    with pytest.raises(
        Undecided, match=r"element \[\] has no sure float64: it lies between 0\.9+\d* and 5\.0"
    ):
        prove(lambda ops, x: ops.where(unsure(ops, x), 1, 5), [np.array(2.0)])
    assert prove(lambda ops, x: ops.where(unsure(ops, x), 5, 5), [np.array(2.0)]).values == 5.0


def test_an_index_that_is_only_nearly_a_whole_number_gives_no_value():
    with pytest.raises(Undecided, match=r"an index is .*: not surely a whole number"):
        prove(lambda ops, x: ops.take([1, 2, 3], ops.square(ops.sqrt(x))), [np.array(2.0)])


def test_an_index_is_tried_again_at_a_higher_precision():
    def larger(ops, x):
        tiny = ops.exp(ops.multiply(-300, x))
        return ops.take([10, 20], ops.argmax(ops.stack([ops.exp(1), ops.add(ops.exp(1), tiny)])))

    proof = prove(larger, [np.array(1.0)])
    assert (float(proof.values), proof.precision) == (20.0, 768)


def test_a_single_feature_is_centered_at_the_first_precision():
    proof = prove(lambda ops, x: ops.center(ops.divide(x, 3)), [np.array([[1.0], [2.0]])])
    assert (proof.values.tolist(), proof.precision) == ([[0.0], [0.0]], 192)


def test_a_python_number_reaches_the_function_as_it_is_and_may_be_its_result():
    seen = []

    def count(ops, x, number):
        seen.append(number)
        return number

    assert prove(count, [np.array([1.0]), 3]).values == 3.0
    assert bound(count, [np.array([1.0]), 3]) == 0.0
    assert [type(number) for number in seen] == [int, int]


def test_numbers_are_taken_exactly():
    tenth = prove(lambda ops, x: ops.subtract(ops.multiply(0.1, 10), x), [np.array(1)])
    assert float(tenth.values) == 0.1 * 10 - 1 or float(tenth.values) == 2.0**-54
    large = prove(lambda ops, x: ops.subtract([2**80 + 1, 0.5], x), [np.array([2.0**80, 0.0])])
    assert large.values.tolist() == [1.0, 0.5]


def test_the_precision_of_the_process_is_left_as_it_was():
    with ctx.workprec(77):
        prove(lambda ops, x: ops.exp(x), [np.array(1.0)])
        bound(lambda ops, x: ops.exp(x), [np.array(1.0)])
        with pytest.raises(ZeroDivisionError):
            prove(lambda ops, x: 1 // 0, [np.array(1.0)])
        assert ctx.prec == 77


def block(ops, x, y):
    logits = ops.divide(ops.matmul(x, y), 3)
    return ops.layer_norm(ops.relu(ops.softmax(logits)), 1.5, 0.25, 1e-6)


def random_inputs():
    numbers = np.random.default_rng(5)
    return [numbers.normal(size=(3, 8)), numbers.normal(size=(8, 8))]


def test_a_bound_does_not_depend_on_the_bits_it_is_computed_with(monkeypatch):
    usual = bound(block, random_inputs())
    monkeypatch.setattr(arithmetic, "BOUND_PRECISION", 500)
    assert bound(block, random_inputs()) == usual > 0


@pytest.mark.parametrize("precision", range(8, 24, 3))
def test_a_bound_of_few_bits_is_larger_never_smaller(monkeypatch, precision):
    usual = bound(block, random_inputs())
    monkeypatch.setattr(arithmetic, "BOUND_PRECISION", precision)
    assert bound(block, random_inputs()) >= usual


PROGRAM = """
import json, sys
sys.path.insert(0, {here!r})
from test_arithmetic_proof import block, random_inputs
from judge.authoring.arithmetic import bound, prove
print(json.dumps([bound(block, random_inputs()), prove(block, random_inputs()).values.tolist()]))
"""


@pytest.mark.parametrize(
    "settings",
    [
        {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": ""},
        {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
    ],
)
def test_proof_and_bound_are_the_same_under_another_blas_kernel(settings):
    program = PROGRAM.format(here=str(Path(__file__).parent))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    limit, values = json.loads(done.stdout)
    assert limit == bound(block, random_inputs())
    assert values == prove(block, random_inputs()).values.tolist()


def test_a_second_opinion_gets_nested_lists_and_rounds_once():
    def mean(mp, x, ids, scale):
        assert isinstance(x[0][0], mp.mpf)
        assert ids == [2, 1]
        assert type(ids[0]) is int
        return [mp.fsum(row) * scale / len(row) for row in x]

    values = second_opinion_values(mean, [np.array([[0.1, 0.2], [1.0, 1.0]]), np.array([2, 1]), 3])
    exact = prove(lambda ops, x: ops.multiply(3, ops.mean(x, -1)), [np.array([[0.1, 0.2], [1, 1]])])
    assert values.tolist() == exact.values.tolist()
    assert second_opinion_values(lambda mp, x: x, [np.array(0.5)]).shape == ()


def test_a_second_opinion_tells_zeros_and_ties_from_what_is_near_them():
    def near(mp, x):
        # Zero up to the digits; a tie; and a 10**-300 above a tie.
        root = mp.sqrt(2)
        return [
            root * root - 2,
            x[0] + mp.mpf(2) ** -53,
            x[0] + mp.mpf(2) ** -53 + mp.mpf(10) ** -300,
        ]

    assert second_opinion_values(near, [np.array([1.0])]).tolist() == [0.0, 1.0, 1 + 2.0**-52]


@pytest.mark.parametrize("value", [mpmath.mpf("inf"), mpmath.mpf("nan"), mpmath.mpf(10) ** 400])
def test_a_second_opinion_that_is_no_float_says_where(value):
    with pytest.raises(Undecided, match=r"element \[1\] is .*: not a float64"):
        second_opinion_values(lambda mp, x: [1, mp.mpf(value)], [np.array(1.0)])


def test_formulas_in_digits_agree_with_the_proof():
    assert np.array_equal(
        formula_values(block, random_inputs()), prove(block, random_inputs()).values
    )
