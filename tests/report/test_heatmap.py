"""Pictures of arrays: every element drawn once, in the colour of its value."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from judge.report import heatmap


def painted(svg: str, rows: int, columns: int) -> list[list[str]]:
    """Paint an SVG's strokes onto a grid of class names; a square painted twice fails."""
    grid = [[""] * columns for _ in range(rows)]
    for name, strokes in re.findall(r'<path class="(\w+)" d="([^"]*)"/>', svg):
        for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)", strokes):
            for c in range(int(column), int(column) + int(length)):
                assert grid[int(row)][c] == ""
                grid[int(row)][c] = name
    return grid


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(7, 20)),
        elements=st.floats(allow_nan=True, allow_infinity=True),
    )
)
def test_every_element_is_painted_once_by_its_sign_and_size(values):
    picture = heatmap.value_picture("x", values, 10.0)
    grid = painted(heatmap.draw(picture), *values.shape)
    for row, names in zip(values, grid, strict=True):
        for value, name in zip(row, names, strict=True):
            if not np.isfinite(value):
                assert name == "x"
            elif value == 0:
                assert name == "z"
            else:
                assert name[0] == ("p" if value > 0 else "n")
                assert 1 <= int(name[1:]) <= heatmap.VALUE_STEPS


def test_a_larger_value_never_has_a_weaker_colour():
    levels = heatmap.value_levels(np.linspace(-20, 20, 401), 10.0)
    assert np.all(np.diff(levels) >= 0)
    assert levels.min() == -heatmap.VALUE_STEPS
    assert levels.max() == heatmap.VALUE_STEPS


@pytest.mark.parametrize(
    ("ratio", "level"),
    [(0.0, 0), (1.0, 0), (1.1, 1), (100.0, 1), (101.0, 2), (1e10, 5), (2e10, 6), (1e300, 6)],
)
def test_an_error_has_a_step_for_each_factor_of_a_hundred(ratio, level):
    assert heatmap.error_levels(np.array([ratio]))[0] == level


def test_an_infinite_error_is_the_strongest_and_nan_is_marked():
    levels = heatmap.error_levels(np.array([np.inf, np.nan]))
    assert levels[0] == heatmap.ERROR_STEPS
    assert levels[1] not in range(-6, 7)


def test_the_worst_element_is_marked_where_it_is():
    ratio = np.zeros((2, 3, 8))
    ratio[1, 2, 7] = 50.0
    ratio[0, 1, 1] = 5.0
    svg = heatmap.draw(heatmap.error_picture("difference", ratio, ratio))
    assert svg.count('class="worst"') == 1
    assert '<rect class="worst" x="7" y="2" width="1" height="1"/>' in svg
    assert "2 of 48 elements are beyond the tolerance" in svg
    assert "[1, 2, 7]" in svg


def test_nan_is_worse_than_any_number():
    ratio = np.full((3, 8), 1e12)
    ratio[2, 4] = np.nan
    picture = heatmap.error_picture("difference", ratio, ratio)
    assert picture.worst == 2 * 8 + 4


def test_a_large_array_is_drawn_in_blocks_that_keep_the_strongest():
    ratio = np.zeros((200, 130))
    ratio[199, 129] = 1e6
    svg = heatmap.draw(heatmap.error_picture("difference", ratio, ratio))
    grid = painted(svg, 50, 33)
    assert [(r, c) for r in range(50) for c in range(33) if grid[r][c] != "e0"] == [(49, 32)]
    assert grid[49][32] == "e3"
    assert "each square stands for 4 by 4 elements" in svg


def test_a_small_array_is_a_table_of_numbers():
    table = heatmap.draw(heatmap.value_picture("W", np.array([[1.5, -2.0], [0.0, np.nan]])))
    assert "<svg" not in table
    cells = re.findall(r'<td class="(\w+)">([^<]*)</td>', table)
    assert [text for _, text in cells] == ["1.5", "-2", "0", "nan"]
    assert [name for name, _ in cells] == ["p5", "n6", "z", "x"]


def test_a_batch_is_a_panel_for_each_sequence():
    svg = heatmap.draw(heatmap.value_picture("x", np.ones((3, 2, 9))))
    assert svg.count("<svg") == 3
    assert re.findall(r'data-offset="(\d+)"', svg) == ["0", "18", "36"]


def test_very_many_panels_are_cut_and_said_to_be():
    svg = heatmap.draw(heatmap.value_picture("x", np.ones((40, 2, 9))))
    assert svg.count("<svg") == 16
    assert "24 more" in svg
