"""Numbers drawn for test cases: the same on every machine, short decimals, within their ends."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.authoring.generate.draw import Draw, decimal


def test_the_stream_of_a_case_never_changes():
    # Written down once; a change here changes every published case.
    drawn = Draw(20170612, "secret/three-heads", 0).integers(-1000, 1000, (6,))
    assert drawn.tolist() == [-218, -379, -108, 867, 887, -594]


def test_seed_name_and_attempt_each_give_another_stream():
    streams = [
        Draw(seed, name, attempt).integers(0, 2**40, (4,)).tolist()
        for seed, name, attempt in [(1, "a/b", 0), (2, "a/b", 0), (1, "a/c", 0), (1, "a/b", 1)]
    ]
    assert len({tuple(stream) for stream in streams}) == 4


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers(0, 2**32))
def test_whole_numbers_lie_between_their_ends(low, width, seed):
    drawn = Draw(seed, "a/b", 0).integers(low, low + width, (3, 2))
    assert drawn.shape == (3, 2)
    assert drawn.dtype == np.int64
    assert ((low <= drawn) & (drawn <= low + width)).all()


def test_both_ends_occur():
    drawn = Draw(1, "a/b", 0).integers(-1, 1, (100,))
    assert set(drawn.tolist()) == {-1, 0, 1}


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_a_decimal_is_the_float_nearest_to_it(whole, places):
    value = decimal(np.array([whole]), places)[0]
    assert value == float(Fraction(whole, 10**places))
    assert len(repr(float(value)).partition(".")[2].split("e")[0]) <= max(places, 1)


def test_zeros_have_no_sign():
    assert not np.signbit(decimal(np.array([0, -0]), 3)).any()


@pytest.mark.parametrize(("low", "high"), [("-0.5", "0.5"), (-2, 2), ("0.0005", "0.0015")])
def test_decimals_keep_to_their_ends_and_places(low, high):
    drawn = Draw(3, "a/b", 0).decimals(low, high, (200,), places=5)
    assert float(low) <= drawn.min()
    assert drawn.max() <= float(high)
    assert all(Fraction(repr(value)) * 10**5 % 1 == 0 for value in drawn.tolist())


def test_an_empty_range_is_refused():
    with pytest.raises(ValueError, match="no whole number lies between 3 and 2"):
        Draw(1, "a/b", 0).integers(3, 2, (1,))
