"""The match rule: max|s - m| <= 1e-3 max|s - exact|, nearest first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from judge.diagnosis.matching import LARGEST_DISTANCE, Observed, compare_candidates

NOISE = 2e-12
EXACT = np.array([1.0, -2.0, 0.5])


def see(actual, *, right=False, exact=EXACT):
    return Observed(np.asarray(actual, dtype=np.float64), exact, right)


def matches(observed, *candidates):
    stacked = [np.array(candidates, dtype=np.float64)]
    return compare_candidates([observed], stacked, NOISE).matches()


def test_equal_results_match_and_others_do_not():
    assert matches(see([2.0, -2.0, 0.5]), [2.0, -2.0, 0.5], [1.0, -1.0, 0.5]) == [0]


def test_the_distance_is_relative_to_how_far_off_the_submission_is():
    off = 1e-6
    near, far = EXACT + off + 0.9e-3 * off, EXACT + off + 1.1e-3 * off
    assert matches(see(EXACT + off), near) == [0]
    assert matches(see(EXACT + off), far) == []


def test_a_small_mistake_does_not_match_the_right_answer():
    rounded = np.round(EXACT + 1e-10 / 3, 10)
    assert matches(see(rounded, exact=EXACT + 1e-10 / 3), EXACT + 1e-10 / 3) == []


def test_the_nearest_comes_first_and_a_far_one_is_not_named_beside_it():
    s = EXACT + 1.0
    assert matches(see(s), s + 5e-4, s, s + 1e-9) == [1, 2]
    assert matches(see(s), s + 5e-4, s + 4e-4) == [1, 0]


def test_of_equally_near_ones_the_one_that_agrees_on_more_cases_comes_first():
    first, second = see(EXACT + 1.0), see(EXACT + 1e-4)
    candidates = [
        np.array([EXACT + 1.0, EXACT + 1.0]),
        np.array([EXACT + 1e-4 + 1e-10, EXACT + 1e-4]),
    ]
    found = compare_candidates([first, second], candidates, NOISE)
    assert found.matches() == [0, 1]
    swapped = [candidates[0], candidates[1][::-1]]
    spoiled = [swapped[0], np.array([EXACT + 1e-4 + 5e-7, EXACT + 1e-4])]
    assert compare_candidates([first, second], spoiled, NOISE).agreeing.tolist() == [1, 2]


def test_nan_matches_nan_at_the_same_places_only():
    s = [np.nan, -2.0, 0.5]
    assert matches(see(s), [np.nan, -2.0, 0.5], [1.0, -2.0, 0.5], [np.nan, np.nan, 0.5]) == [0]


def test_infinities_match_by_sign():
    s = [np.inf, -2.0, 0.5]
    assert matches(see(s), [np.inf, -2.0, 0.5], [-np.inf, -2.0, 0.5], [np.nan, -2.0, 0.5]) == [0]


def test_where_nan_is_all_that_is_wrong_rounding_elsewhere_does_not_count():
    s = [np.nan, -2.0 + 1e-15, 0.5]
    assert matches(see(s), [np.nan, -2.0, 0.5 + 1e-15]) == [0]


def test_a_candidate_that_failed_matches_nothing():
    assert matches(see([2.0, 1.0, 1.0]), [np.nan] * 3) == []


def test_a_right_submission_matches_nothing():
    assert matches(see(EXACT, right=True), EXACT + 1.0) == []


def test_no_candidates_no_match():
    assert compare_candidates([see([2.0, 1.0, 1.0])], [np.empty((0, 3))], NOISE).matches() == []


def test_explaining_and_silent_candidates():
    wrong, right = see(EXACT + 1.0), see(EXACT, right=True)
    candidates = [
        np.array([EXACT + 1.0, EXACT + 1.0, EXACT]),
        np.array([EXACT, EXACT + 1.0, EXACT]),
    ]
    found = compare_candidates([wrong, right], candidates, NOISE)
    assert found.explaining.tolist() == [True, True, False]
    assert found.silent.tolist() == [True, False, True]


numbers = st.floats(-10, 10, allow_subnormal=False)


@given(
    arrays(np.float64, 3, elements=numbers),
    arrays(np.float64, 3, elements=numbers),
    arrays(np.float64, (4, 3), elements=numbers),
)
def test_whatever_matches_keeps_the_rule(actual, exact, candidates):
    observed = Observed(actual, exact, right=False)
    for i in compare_candidates([observed], [candidates], NOISE).matches():
        off = np.abs(actual - exact).max()
        assert np.abs(actual - candidates[i]).max() <= LARGEST_DISTANCE * off


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_every_shape_of_result_will_do(shape):
    exact = np.ones(shape)
    observed = Observed(exact * 3, exact, right=False)
    candidates = np.array([exact * 2, exact * 3])
    assert compare_candidates([observed], [candidates], NOISE).matches() == [1]
