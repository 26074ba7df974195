"""The exact reference against programs that share nothing with it, and against NumPy."""

import ast

import numpy as np
import pytest
from blocks import (
    BUNDLE,
    KINDS,
    PARAMETERS,
    PROBLEM,
    block_inputs,
    blocks,
    exact,
    numpy_reference,
    relative_error,
    second_opinion,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import float_block, uniform_block

from judge.authoring.arithmetic import bound, prove, second_opinion_values
from judge.authoring.arithmetic.digits import formula_values
from judge.testcases import load_cases, load_manifest

SMALL = {"batch": 2, "sequence": 3, "d_model": 6, "d_ff": 4, "num_heads": 3}

IDENTITY = [[1.0, 0.0], [0.0, 1.0]]
WIDE = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
TWICE = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
NARROW = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]


def sample(x, W1):
    """A published sample: identity projections, no biases, plain layer norms, one head."""
    projections = [IDENTITY] * 4
    values = [x, *projections, W1, [0.0] * 4, NARROW, [0.0] * 2]
    norms = [[1.0, 1.0], [0.0, 0.0]] * 2
    return [np.array(value, dtype=np.float64) for value in [*values, *norms]] + [1]


@pytest.mark.parametrize(
    ("x", "W1", "expected"),
    [
        ([[[1, 0]]], WIDE, "[[[0.9999997777776296, -0.9999997777776296]]]"),
        (
            [[[1, 2], [3, 4]]],
            WIDE,
            "[[[-0.9999997777776296, 0.9999997777776296], "
            "[-0.9999997777776296, 0.9999997777776296]]]",
        ),
        (
            [[[0, 1], [1, 0]]],
            TWICE,
            "[[[-0.9999997777773565, 0.9999997777773565], "
            "[0.9999997777773565, -0.9999997777773565]]]",
        ),
    ],
    ids=["single token", "two tokens", "mirrored tokens"],
)
def test_published_samples_to_the_last_digit(x, W1, expected):
    inputs = sample(x, W1)
    assert str(prove(exact.encoder_block, inputs).values.tolist()) == expected
    computed = numpy_reference.encoder_block(*inputs)
    assert relative_error(computed, np.array(ast.literal_eval(expected))) < 3e-16


@pytest.mark.parametrize("kind", sorted(KINDS))
@given(data=st.data())
@settings(max_examples=4, deadline=None)
def test_proved_outputs_are_those_of_sixty_digits(kind, data):
    inputs = data.draw(blocks([kind], num_heads=3 if kind == "overflowing logits" else None))
    proof = prove(exact.encoder_block, inputs)
    opinion = second_opinion_values(second_opinion.encoder_block, inputs, digits=60)
    assert proof.values.shape == inputs[0].shape
    assert np.array_equal(proof.values, opinion)


@given(inputs=blocks(["uniform attention", "attention off", "feed-forward off", "signed gamma"]))
@settings(max_examples=25, deadline=None)
def test_proved_outputs_are_those_of_fractions_where_attention_is_uniform(inputs):
    inputs = [*inputs]
    inputs[1] = np.zeros_like(inputs[1])
    assert np.array_equal(prove(exact.encoder_block, inputs).values, uniform_block(*inputs))


def test_proved_outputs_are_those_of_fractions_at_a_single_position():
    inputs = block_inputs("generic", {**SMALL, "sequence": 1}, 7)
    assert inputs[1].any()
    assert np.array_equal(prove(exact.encoder_block, inputs).values, uniform_block(*inputs))


@given(
    inputs=blocks(),
    order=st.integers(0, 2**32),
    one_pass=st.booleans(),
    folded=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_every_sane_way_to_round_stays_below_the_bound(inputs, order, one_pass, folded):
    expected = prove(exact.encoder_block, inputs).values
    limit = bound(exact.encoder_block, inputs)
    assert relative_error(numpy_reference.encoder_block(*inputs), expected) <= limit
    program = float_block(
        inputs,
        one_pass=one_pass,
        folded=folded,
        softmax="shifted",
        order=np.random.default_rng(order),
    )
    assert relative_error(program, expected) <= limit


@given(inputs=blocks(["generic", "near epsilon", "tiny"]))
@settings(max_examples=10, deadline=None)
def test_a_softmax_without_a_shift_stays_below_the_bound_while_it_is_finite(inputs):
    program = float_block(
        inputs, one_pass=False, folded=False, softmax="plain", order=np.random.default_rng(0)
    )
    expected = prove(exact.encoder_block, inputs).values
    assert relative_error(program, expected) <= bound(exact.encoder_block, inputs)


def test_the_bound_is_no_larger_than_pessimism_about_rounding_makes_it():
    inputs = block_inputs("generic", SMALL, 3)
    limit = bound(exact.encoder_block, inputs)
    expected = prove(exact.encoder_block, inputs).values
    assert 0 < relative_error(numpy_reference.encoder_block(*inputs), expected) < limit < 1e-11


CASES = load_cases(PROBLEM)
BOUNDS = {entry.name: entry.bound for entry in load_manifest(PROBLEM).cases}


@pytest.mark.parametrize("case", [c for c in CASES if "large" not in c.tags], ids=lambda c: c.name)
def test_answers_on_disk_are_those_of_sixty_digits(case):
    opinion = second_opinion_values(second_opinion.encoder_block, case.inputs)
    assert np.array_equal(opinion, case.expected)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("one_pass", [False, True])
@pytest.mark.parametrize("softmax", ["shifted", "log-sum-exp"])
def test_float64_is_within_the_published_bound_of_every_case(case, one_pass, softmax):
    program = float_block(
        list(case.inputs),
        one_pass=one_pass,
        folded=one_pass,
        softmax=softmax,
        order=np.random.default_rng(1),
    )
    limit = BOUNDS[case.name]
    assert relative_error(program, case.expected) <= limit
    assert relative_error(numpy_reference.encoder_block(*case.inputs), case.expected) <= limit


def test_formulas_in_digits_agree_too():
    inputs = block_inputs("large", SMALL, 1)
    assert np.array_equal(
        formula_values(exact.encoder_block, inputs), prove(exact.encoder_block, inputs).values
    )


@pytest.mark.parametrize("name", ["exact", "second_opinion"])
def test_formula_pages_import_nothing_and_take_the_statement_s_parameters(name):
    path = BUNDLE / "reference" / f"{name}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)] == []
    (function,) = [
        n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == PROBLEM.function.name
    ]
    assert [argument.arg for argument in function.args.args][1:] == PARAMETERS
