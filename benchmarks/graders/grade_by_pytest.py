"""A plain pytest grader, one test a case. Environment: BUNDLE, SUBMISSION."""

import os
import runpy

import pytest

from benchmarks.graders.bare import cases, right

CASES = list(cases(os.environ["BUNDLE"]))


@pytest.fixture(scope="module")
def function():
    return runpy.run_path(os.environ["SUBMISSION"])["encoder_block"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_case(function, case):
    _, inputs, expected = case
    assert right(function(*inputs), expected)
