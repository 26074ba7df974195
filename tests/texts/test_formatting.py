"""How numbers are written in the texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from judge.authoring import formatting

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(st.floats(-1e9, 1e9), st.integers(0, 8))
def test_fixed_rounds_to_the_nearest(value: float, digits: int) -> None:
    text = formatting.fixed(value, digits).replace("−", "-")
    assert len(text.partition(".")[2]) == digits
    assert abs(Fraction(text) - Fraction(value)) <= Fraction(1, 2 * 10**digits)


def test_a_rounded_zero_has_no_sign() -> None:
    assert formatting.fixed(-0.0001, 2) == "0.00"


def test_what_is_not_finite_is_named() -> None:
    row = [np.nan, np.inf, -np.inf, 1.25]
    assert formatting.vector(row, 1) == "[NaN, ∞, −∞, 1.2]"


@given(FLOATS)
def test_exact_reads_back_as_the_same_float(value: float) -> None:
    assert float(formatting.exact(value)) == value


@given(arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=9), elements=FLOATS))
def test_a_pasted_array_is_the_array(array: np.ndarray) -> None:
    namespace: dict[str, Any] = {"np": np}
    exec(formatting.paste(array, "x"), namespace)
    assert namespace["x"].dtype == np.float64
    np.testing.assert_array_equal(namespace["x"], array)
    np.testing.assert_array_equal(np.signbit(namespace["x"]), np.signbit(array))


@pytest.mark.parametrize("value", [np.array([[1, -2]]), np.array([True, False]), 3, 2.5])
def test_other_values_paste_with_their_type(value: Any) -> None:
    namespace: dict[str, Any] = {"np": np}
    exec(formatting.paste(value, "x"), namespace)
    assert type(namespace["x"]) is type(value)
    np.testing.assert_array_equal(namespace["x"], value)
    assert np.asarray(namespace["x"]).dtype == np.asarray(value).dtype


def test_a_power_of_ten_has_one_digit() -> None:
    assert formatting.power_of_ten(1e-6) == "10^{-6}"
    assert formatting.power_of_ten(2e-12) == r"2 \times 10^{-12}"
    with pytest.raises(ValueError, match="more than one significant digit"):
        formatting.power_of_ten(1.5e-6)


@given(st.floats(1e-300, 1e300))
def test_a_magnitude_encloses_its_number(value: float) -> None:
    below, above = (
        Fraction(10) ** int(text.removeprefix("10^{").removesuffix("}"))
        for text in (formatting.magnitude_below(value), formatting.magnitude_above(value))
    )
    # The logarithm is a float: at a power of ten itself it may fall to either side.
    assert below * Fraction("0.999999") <= Fraction(value) <= above * Fraction("1.000001")
    assert above == 10 * below


def test_a_coarse_magnitude_has_an_exponent_of_its_step() -> None:
    values = (4e-8, 9e-7, 2e-4, 3.0)
    coarse = [formatting.magnitude_above(value, 3) for value in values]
    assert coarse == ["10^{-6}", "10^{-6}", "10^{-3}", "10^{3}"]


def test_a_table_names_every_row_and_column() -> None:
    text = formatting.table(np.eye(2), 1, rows=["a", "b"], columns=["c", "d"], corner="≈")
    assert text.splitlines() == [
        "| ≈ | c | d |",
        "| --- | ---: | ---: |",
        "| a | 1.0 | 0.0 |",
        "| b | 0.0 | 1.0 |",
    ]
    with pytest.raises(ValueError, match="1 row names and 2 column names"):
        formatting.table(np.eye(2), 1, rows=["a"], columns=["c", "d"])
