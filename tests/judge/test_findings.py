"""Findings without a list of mistakes: digits, axes, what failing cases have in common."""

from __future__ import annotations

import numpy as np
import pytest

from judge.diagnosis import findings
from judge.diagnosis.findings import Outcome
from judge.diagnosis.matching import Observed
from judge.signature import parse_type
from judge.testcases import TagInfo

RNG = np.random.default_rng(3)
EXACT = RNG.normal(size=(2, 3, 4))


def see(actual):
    return [Observed(actual, EXACT, right=False)]


@pytest.mark.parametrize("decimals", range(11))
def test_rounding_is_recognised_at_every_number_of_decimals(decimals):
    found = findings.precision(see(np.round(EXACT, decimals)))
    assert found is not None
    assert found.id == f"rounded-{decimals}-decimals"
    assert found.stage == "precision"


@pytest.mark.parametrize("name", ["float32", "float16"])
def test_a_result_that_fits_a_smaller_float_is_recognised(name):
    found = findings.precision(see(EXACT.astype(name).astype(np.float64)))
    assert found is not None
    assert found.id == f"{name}-result"


def test_float32_on_the_way_is_recognised_by_the_size_of_the_error():
    noise = RNG.normal(size=EXACT.shape) * 1e-7
    found = findings.precision(see(EXACT + noise))
    assert found is not None
    assert found.id == "too-few-digits"
    assert "np.allclose would accept it" in found.advice


@pytest.mark.parametrize("actual", [EXACT + 0.1, np.full_like(EXACT, np.nan)], ids=["far", "nan"])
def test_other_errors_are_no_matter_of_digits(actual):
    assert findings.precision(see(actual)) is None


def test_an_argument_returned_unchanged_is_recognised():
    x = RNG.normal(size=EXACT.shape)
    found = findings.returned_input([(see(x)[0], (7, x))], ["n", "x"])
    assert found is not None
    assert found.title == "the result is x, unchanged"
    assert findings.returned_input([(see(x + 1)[0], (7, x))], ["n", "x"]) is None


def test_zeros_are_recognised_unless_they_are_right():
    zeros = np.zeros_like(EXACT)
    found = findings.returned_input([(see(zeros)[0], ())], [])
    assert found is not None
    assert found.id == "all-zeros"
    assert findings.returned_input([(Observed(zeros, zeros, right=True), ())], []) is None


KIND = parse_type("float64[batch, sequence, d_model]")


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ((1, 0, 2), "(sequence, batch, d_model)"),
        ((0, 2, 1), "(batch, d_model, sequence)"),
        ((2, 0, 1), "(d_model, batch, sequence)"),
        ((1, 2, 0), "(sequence, d_model, batch)"),
    ],
)
def test_exchanged_axes_are_named(order, names):
    found = findings.exchanged_axes([(EXACT.transpose(order), EXACT)], KIND)
    assert found is not None
    assert found.id == "axes-exchanged"
    assert f"The axes of the result are {names}, and should be (batch, sequence, d_model)" in (
        found.advice
    )


@pytest.mark.parametrize("shape", [(6, 4), (24,), (1, 2, 3, 4)])
def test_right_numbers_in_another_shape_are_recognised(shape):
    found = findings.exchanged_axes([(EXACT.reshape(shape), EXACT)], KIND)
    assert found is not None
    assert found.id == "another-shape"


def test_wrong_numbers_in_another_order_are_not_excused():
    wrong = EXACT.transpose(1, 0, 2) + 0.1
    assert findings.exchanged_axes([(wrong, EXACT)], KIND) is None
    assert findings.exchanged_axes([], KIND) is None


TAGS = {
    "left-off": TagInfo("the left half off", "left"),
    "right-off": TagInfo("the right half off", "right"),
    "large": TagInfo("large numbers"),
    "many": TagInfo("more than one item"),
}


def outcomes(**right):
    """Build outcomes from name=(right, *tags)."""
    return [Outcome(name, frozenset(tags), ok) for name, (ok, *tags) in right.items()]


HALVES = [
    (
        {
            "l": (True, "left-off"),
            "r": (False, "right-off"),
            "both": (True, "left-off", "right-off"),
        },
        "left",
        "It is right where left adds nothing, so the fault is in that half.",
    ),
    (
        {"l": (False, "left-off"), "r": (True, "right-off")},
        "right",
        "It is right where right adds nothing, so the fault is in that half.",
    ),
    (
        {
            "l": (False, "left-off"),
            "r": (False, "right-off"),
            "both": (True, "left-off", "right-off"),
        },
        "unknown",
        "There is a fault in each of the two halves, left and right.",
    ),
    (
        {
            "l": (False, "left-off"),
            "r": (False, "right-off"),
            "both": (False, "left-off", "right-off"),
        },
        "unknown",
        "It is wrong even where left and right add nothing: look at what is left of it then.",
    ),
    (
        {"l": (True, "left-off"), "r": (True, "right-off"), "all": (False,)},
        "unknown",
        "It is right wherever left or right adds nothing.",
    ),
]


@pytest.mark.parametrize(("right", "stage", "sentence"), HALVES)
def test_the_probes_tell_the_half(right, stage, sentence):
    found = findings.where_it_shows(outcomes(**right), TAGS)
    assert found.stage == stage
    assert found.advice.startswith(sentence)


SHARED = [
    (
        {"a": (False, "large"), "b": (True,), "c": (False, "large")},
        "Exactly the cases with large numbers fail.",
    ),
    (
        {"a": (False, "large"), "b": (True, "large"), "c": (True,)},
        "Every case that fails has large numbers.",
    ),
    (
        {"a": (False,), "b": (True, "large"), "c": (True,)},
        "Every case with large numbers is right.",
    ),
    ({"a": (False,), "b": (False,)}, "The cases that fail have nothing in common."),
]


@pytest.mark.parametrize(("right", "sentence"), SHARED)
def test_what_failing_cases_have_in_common_is_told(right, sentence):
    assert findings.where_it_shows(outcomes(**right), TAGS).advice == sentence


def test_nan_in_exactly_the_cases_of_a_tag_names_its_mistake():
    cases = [
        Outcome("a", frozenset({"large"}), right=False, non_finite=True),
        Outcome("b", frozenset(), right=False),
    ]
    named = {"large": "overflows"}
    assert findings.non_finite(cases, TAGS, named) == (
        "overflows",
        "Results are NaN or infinite only in cases with large numbers.",
    )
    everywhere = [*cases, Outcome("c", frozenset(), right=False, non_finite=True)]
    assert findings.non_finite(everywhere, TAGS, named) is None
    assert findings.non_finite(cases[1:], TAGS, named) is None
