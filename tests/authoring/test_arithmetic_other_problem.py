"""The vocabulary serves a problem that is no encoder block: the tests' own second bundle."""

from pathlib import Path

import numpy as np
import pytest

from judge.authoring.arithmetic import bound, prove
from judge.authoring.arithmetic.digits import formula_values
from judge.problem import Problem
from judge.testcases import load_cases

PROBLEM = Problem.load(Path(__file__).parent.parent / "bundles" / "tiny")


def power_sum(ops, table, weights, chosen, power, absolute):
    """The weighted sum of powers over the chosen rows."""
    numbers = ops.absolute(table) if absolute else table
    rows = ops.sum(ops.multiply(ops.power(numbers, power), weights), axis=-1)
    return ops.sum(ops.where(chosen, rows, 0))


@pytest.mark.parametrize("case", load_cases(PROBLEM), ids=lambda case: case.name)
def test_answers_of_the_second_bundle_are_proved_and_bounded(case):
    proof = prove(power_sum, case.inputs, PROBLEM.function.result.dtype)
    assert proof.values.shape == ()
    assert abs(proof.values - case.expected) <= 1e-12 * (1 + abs(case.expected))
    assert np.array_equal(formula_values(power_sum, case.inputs), proof.values)
    assert bound(power_sum, case.inputs) <= PROBLEM.tolerance.absolute
