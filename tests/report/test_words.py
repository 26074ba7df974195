"""Numbers and foreign text as people can read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.report import words, writing
from judge.verdicts import Reason, number
from tests.report.reports import difference


def test_every_reason_has_words():
    assert set(words.WORDS) == set(Reason)
    titles = [entry.title for entry in words.WORDS.values()]
    assert all(0 < len(title) <= 45 for title in titles)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=True, allow_infinity=True),
)
def test_two_different_numbers_are_written_differently(expected, actual):
    texts = writing.numbers(number(expected), number(actual))
    if expected != actual and not math.isnan(actual):
        assert texts[0] != texts[1]
    for value, text in zip((expected, actual), texts, strict=True):
        assert float(text) == pytest.approx(value, rel=1e-5, nan_ok=True)


def test_numbers_are_as_short_as_their_difference_allows():
    assert writing.numbers(0.9130218844, -0.4821760311) == (" 0.913022", "-0.482176")
    assert writing.numbers(1.0, 1.0 + 4.4e-7) == ("1", "1.00000044")
    assert writing.numbers(0.5, "nan") == ("0.5", "nan")
    assert writing.numbers(0.5, "-inf") == (" 0.5", "-inf")


@pytest.mark.parametrize(
    ("value", "text"),
    [(5e11, "5e11"), (0.0001234, "0.00012"), (1.44, "1.4"), ("inf", "inf"), (3.2e-10, "3.2e-10")],
)
def test_sizes_are_brief(value, text):
    assert writing.brief(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00012, "0.1 ms"), (0.0123, "12 ms"), (1.234, "1.23 s"), (61.2, "61 s")],
)
def test_times_have_the_unit_that_suits_them(seconds, text):
    assert writing.duration(seconds) == text


def test_scores_are_full_only_when_they_are():
    assert writing.points(1.0) == "1.00"
    assert writing.points(0.9999) == "0.99"
    assert writing.points(0.125) == "0.12"


@given(st.text(st.characters(codec=None)))
def test_nothing_invisible_stays(text):
    shown = writing.visible(text)
    assert all(c.isprintable() or c in "\n\t" for c in shown)
    assert writing.one_line(text).isprintable()


def test_what_is_visible_stays():
    text = "naïve 中文 λ = ½\n\t→ done"
    assert writing.visible(text) == text


def test_what_is_not_is_written_out():
    assert writing.visible("\x1b[2J\u202e\ud800\U000e0001") == "\\x1b[2J\\u202e\\ud800\\U000e0001"


def test_the_share_of_wrong_elements_is_told():
    assert words.share(1, 90) == "1 of 90 elements is"
    assert words.share(88, 90) == "88 of 90 elements are"
    assert words.share(90, 90) == "all 90 elements are"


def test_an_exact_comparison_has_no_tolerance_to_exceed():
    error = difference(6.0, 7.0, 1, 4)
    exact = type(error)(error.index, 6.0, 7.0, 1.0, 0.2, "inf", 1, 4)
    assert words.off_by(exact) == "off by 1; 1 of 4 elements is off"
