"""Shrinking: the smallest shape and the simplest numbers that still show a fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.authoring.shrink import Shrinker, fits, resized, sizes_of, weight
from judge.problem import Problem
from judge.testcases import load_cases


@pytest.fixture(scope="module")
def inputs(problem) -> dict[str, Any]:
    (case,) = load_cases(problem, ["secret/three-heads"])
    return named(problem, case.inputs)


@pytest.fixture(scope="module")
def plain(problem) -> dict[str, Any]:
    (case,) = load_cases(problem, ["sample/single-token"])
    return named(problem, case.inputs)


def named(problem: Problem, values: tuple[Any, ...]) -> dict[str, Any]:
    names = [parameter.name for parameter in problem.function.parameters]
    return dict(zip(names, values, strict=True))


def always(_: dict[str, Any]) -> bool:
    return True


def test_where_anything_will_do_every_size_is_one_and_every_value_is_neutral(
    problem, inputs, plain
):
    small = Shrinker(problem, always, always, plain).shrink(inputs)
    assert set(sizes_of(problem, small).values()) == {1}
    assert small["W_q"].tolist() == [[1.0]]
    assert small["gamma1"].tolist() == [1.0]
    assert small["beta1"].tolist() == [0.0]
    assert small["num_heads"] == 1


def test_sizes_that_hang_together_shrink_together(problem, inputs, plain):
    # Three heads of width three: neither size can shrink alone and keep three heads.
    small = Shrinker(problem, lambda c: c["num_heads"] == 3, always, plain).shrink(inputs)
    assert sizes_of(problem, small)["d_model"] == 3


def test_what_shows_the_fault_is_kept_and_all_else_is_simple(problem, inputs, plain):
    def shows(candidate: dict[str, Any]) -> bool:
        return bool(candidate["W_v"][0, 0] < -0.05)

    sign = -1.0 if inputs["W_v"][0, 0] > 0 else 1.0
    start = {**inputs, "W_v": inputs["W_v"] * sign}
    assert shows(start)
    small = Shrinker(problem, shows, always, plain).shrink(start)
    assert small["W_v"].tolist() == [[-1.0]]
    assert weight(small) == 13


def test_what_is_not_admitted_is_not_taken(problem, inputs, plain):
    def admitted(candidate: dict[str, Any]) -> bool:
        return candidate["x"].shape[1] >= 2 and bool(candidate["gamma2"].any())

    small = Shrinker(problem, always, admitted, plain).shrink(inputs)
    assert sizes_of(problem, small)["sequence"] == 2


def test_nothing_smaller_leaves_the_case_as_it_is(problem, plain):
    def shows(candidate: dict[str, Any]) -> bool:
        return all(np.array_equal(candidate[name], plain[name]) for name in plain)

    small = Shrinker(problem, shows, always, plain).shrink(plain)
    assert shows(small)


@given(st.data())
def test_whatever_shrinking_gives_fits_shows_the_fault_and_is_admitted(
    problem, inputs, plain, data
):
    name = data.draw(st.sampled_from([n for n, v in inputs.items() if isinstance(v, np.ndarray)]))
    size = data.draw(st.integers(1, 2))

    def shows(candidate: dict[str, Any]) -> bool:
        return candidate[name].size >= size and bool((candidate[name] != 0).any())

    small = Shrinker(problem, shows, fits_in(problem), plain).shrink(inputs)
    assert fits(problem, small)
    assert shows(small)
    assert weight(small) <= weight(inputs)


def fits_in(problem: Problem):
    return lambda candidate: fits(problem, candidate)


def test_cutting_keeps_the_front_of_every_array(problem, inputs):
    cut = resized(problem, inputs, {"batch": 1, "d_model": 3, "num_heads": 1})
    assert np.array_equal(cut["x"], inputs["x"][:1, :, :3])
    assert np.array_equal(cut["W1"], inputs["W1"][:3])
    assert cut["num_heads"] == 1
    assert fits(problem, cut)
