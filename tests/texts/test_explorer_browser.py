"""The explorer in a real browser, opened from a file: what it shows, and what a reader does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from explorer_page import arguments, chromium, opened, page_html, reference, shown_cases
from test_explorer_forward import steps_in_numpy

pytestmark = pytest.mark.web

POST = "x Q K V logits weights context merged attended residual1 norm1 hidden relu narrowed residual2 norm2"  # noqa: E501
PRE = "x norm1 Q K V logits weights context merged attended residual1 norm2 hidden relu narrowed residual2"  # noqa: E501
NAMES = {
    "post": {"norm1": "z", "norm2": "y"},
    "pre": {"residual1": "z", "residual2": "y"},
}
PER_HEAD = ("logits", "weights", "context")
ORDERED = "explorer/banks-in-order"

# Focus every entry of a table in turn, and collect what is said of it.
WALK = """grid => [...document.querySelectorAll(`[data-at^="${grid} "]`)].map(cell => {
  cell.focus();
  return [...document.querySelectorAll("#explorer .detail span")].map(line => line.textContent);
})"""
LIT = """at => {
  document.querySelector(`[data-at="${at}"]`).focus();
  return [...document.querySelectorAll("#explorer .lit")].map(cell => cell.dataset.at);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("explorer") / "page.html"
    path.write_text(page_html(shown_cases()))
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    with opened(browser, address) as page:
        yield page


def case(name: str) -> dict[str, Any]:
    return next(found for found in shown_cases() if found["name"] == name)


def go(page: Any, **view: Any) -> None:
    """Follow a link to a view, as from another place on the page."""
    query = "&".join(f"{key}={quote(str(value))}" for key, value in view.items())
    page.evaluate("fragment => { location.hash = fragment; }", f"explorer?{query}")
    page.wait_for_function("step => document.querySelector('[aria-selected=true]').dataset.step === step", arg=view["step"])  # fmt: skip  # noqa: E501


def value(line: str) -> float:
    return float(line.split(" = ")[1])


def shown(page: Any) -> np.ndarray:
    """Return the exact values of the table that a step results in, in reading order."""
    lines = page.evaluate(WALK, "out")
    return np.array([value(line[0]) for line in lines if "row " not in line[0]])


def close(actual: np.ndarray, expected: np.ndarray) -> bool:
    flat = expected.ravel()
    return bool(np.allclose(actual, flat, rtol=1e-12, atol=1e-12, equal_nan=True))


@pytest.mark.parametrize(("norm", "order"), [("post", POST), ("pre", PRE)])
def test_every_step_is_shown_with_its_exact_values(page: Any, norm: str, order: str) -> None:
    values = case(ORDERED)["input"]
    options = {"norm": norm, "mask": "none", "padding": []}
    expected = steps_in_numpy(values, options)
    go(page, case=ORDERED, norm=norm, step="x", item=1, head=1)
    for number, step in enumerate(order.split(), start=1):
        name = NAMES[norm].get(step, step)
        heading = page.locator("#explorer h3").inner_text()
        assert heading.startswith(f"{number} of 16 {name}: ")
        rows = expected[step][1, 1] if step in PER_HEAD else expected[step][1]
        assert close(shown(page), rows), step
        assert page.locator("#explorer .stage math").count() == (step != "x")
        page.get_by_role("button", name="Next").click()
    assert page.locator("#explorer h3").inner_text().startswith("1 of 16 x: ")


def test_an_entry_is_named_as_numpy_names_it(page: Any) -> None:
    go(page, case=ORDERED, step="weights", item=1, head=1, cell="2 3")
    weights = steps_in_numpy(case(ORDERED)["input"], {"norm": "post", "mask": "none", "padding": []})["weights"]  # fmt: skip  # noqa: E501
    line = page.locator("#explorer .detail span").first.inner_text()
    assert line.startswith("weights[1, 1, 2, 3] = ")
    assert value(line) == pytest.approx(weights[1, 1, 2, 3], rel=1e-12)


def test_the_computation_shown_gives_the_value(page: Any) -> None:
    """Each line of arithmetic, computed, is the entry, as far as its rounded terms allow."""
    names = {"exp": math.exp, "sqrt": math.sqrt, "max": max, "inf": math.inf}
    computed = 0
    for step in POST.split():
        go(page, case="sample/two-heads", step=step, mask="causal", head=1)
        for line in page.evaluate(WALK, "out"):
            if len(line) < 2 or not line[1].startswith("= ") or re.search("masked|column", line[1]):
                continue
            text = line[1][2:].replace("−", "-").replace("×", "*").replace("∞", "inf")
            result = eval(text.replace("√", "sqrt").replace("sqrt2", "sqrt(2)"), names)
            assert result == pytest.approx(value(line[0]), abs=2e-3), (step, line)
            computed += 1
    assert computed > 80


def test_row_sums_means_and_variances_stand_beside_their_rows(page: Any) -> None:
    values = case("sample/two-heads")["input"]
    expected = steps_in_numpy(values, {"norm": "post", "mask": "none", "padding": []})
    go(page, case="sample/two-heads", step="weights")
    sums = [line[0] for line in page.evaluate(WALK, "out") if "sum" in line[0]]
    assert [value(line) for line in sums] == pytest.approx([1, 1], abs=1e-15)
    for step, read in (("norm1", "residual1"), ("norm2", "residual2")):
        go(page, case="sample/two-heads", step=step)
        said = [line[0] for line in page.evaluate(WALK, "0") if ", row " in line[0]]
        rows = expected[read][0]
        wanted = [
            number
            for row in rows
            for number in (row.mean(), row.var(), row.var() / (row.var() + 1e-6))
        ]
        assert [value(line) for line in said] == pytest.approx(wanted, rel=1e-12)
        assert all(0.99 < number < 1 for number in wanted[2::3])


@pytest.mark.parametrize(
    ("step", "at", "lit"),
    [
        # Two heads of width 2; head 1 has columns 2 and 3. Inputs are numbered from the left.
        ("Q", "out 1 2", {0: [(1, c) for c in range(4)], 1: [(r, 2) for r in range(4)]}),
        ("logits", "out 0 1", {0: [(0, 2), (0, 3)], 1: [(1, 2), (1, 3)]}),
        ("weights", "out 1 0", {0: [(1, 0), (1, 1)]}),
        ("context", "out 0 1", {0: [(0, 0), (0, 1)], 1: [(0, 3), (1, 3)]}),
        ("merged", "out 1 2", {1: [(1, 0)]}),
        ("merged", "out 1 1", {0: [(1, 1)]}),
        ("attended", "out 1 0", {0: [(1, c) for c in range(4)], 1: [(r, 0) for r in range(4)]}),
        ("residual1", "out 1 3", {0: [(1, 3)], 1: [(1, 3)]}),
        ("norm1", "out 1 3", {0: [(1, c) for c in range(4)], 1: [(0, 3)], 2: [(0, 3)]}),
        (
            "hidden",
            "out 0 2",
            {0: [(0, c) for c in range(4)], 1: [(r, 2) for r in range(4)], 2: [(0, 2)]},
        ),
        ("relu", "out 0 2", {0: [(0, 2)]}),
        # The other way round: where an input's entry goes.
        ("Q", "0 1 3", {"out": [(1, c) for c in range(4)]}),
        ("logits", "1 1 2", {"out": [(0, 1), (1, 1)]}),
        ("weights", "0 0 1", {"out": [(0, 0), (0, 1)]}),
    ],
)
def test_what_an_entry_is_made_of_lights_up(
    page: Any, step: str, at: str, lit: dict[Any, list[tuple[int, int]]]
) -> None:
    go(page, case="sample/two-heads", step=step, head=1)
    wanted = {f"{grid} {r} {c}" for grid, places in lit.items() for r, c in places}
    assert set(page.evaluate(LIT, at)) == wanted


def test_pointing_lights_up_and_leaving_returns_to_the_chosen_entry(page: Any) -> None:
    go(page, case="sample/two-heads", step="Q", cell="1 2")
    page.locator('[data-at="out 0 3"]').hover()
    detail = page.locator("#explorer .detail span").first
    assert detail.inner_text().startswith("Q[0, 0, 3] = ")
    page.get_by_role("button", name="Next").hover()
    assert detail.inner_text().startswith("Q[0, 1, 2] = ")


def test_a_change_of_x_goes_through_to_the_output(page: Any) -> None:
    chosen = case("sample/two-heads")
    go(page, case="sample/two-heads", step="x")
    page.locator('[data-at="out 1 2"]').click()
    page.get_by_label("Change x[0, 1, 2] to").fill("-1.75")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.at") == "out 1 2"
    page.get_by_role("tab", name=re.compile("y changed$")).click()
    values = json.loads(json.dumps(chosen["input"]))
    values["x"][0][1][2] = -1.75
    expected = reference().encoder_block(**arguments(values))[0]
    assert close(shown(page), expected)
    assert np.all(expected != np.array(chosen["expected"][0]))
    changed = page.locator('[data-at^="out "].changed')
    assert changed.count() == expected.size
    page.get_by_role("button", name="Undo all").click()
    assert close(shown(page), np.array(chosen["expected"][0]))
    assert changed.count() == 0


def test_typing_the_old_value_again_leaves_no_change(page: Any) -> None:
    go(page, case="sample/two-heads", step="x", x="0.0.0:2 0.1.1:3", entry="0 0")
    box = page.get_by_label("Change x[0, 0, 0] to")
    changed = page.locator('[data-at^="out "].changed')
    assert changed.all_inner_texts() == ["2", "3"]
    box.fill("0.8")
    assert changed.all_inner_texts() == ["3"]
    link = page.get_by_role("link", name="Link to this view").get_attribute("href")
    assert link.endswith("&x=0.1.1%3A3")


def test_a_change_shows_which_steps_and_entries_follow(page: Any) -> None:
    """Under a causal mask the last position changes nothing before it."""
    go(page, case=ORDERED, step="norm2", mask="causal", x="0.3.1:2")
    rows = page.locator('[data-at^="out "].changed').evaluate_all(
        "cells => cells.map(cell => cell.dataset.at.split(' ')[1])"
    )
    assert set(rows) == {"3"}
    steps = page.locator("#explorer [role=tab].changed").evaluate_all(
        "tabs => tabs.map(tab => tab.dataset.step)"
    )
    assert steps[0] == "x"
    assert steps[-1] == "norm2"


def test_the_slider_changes_x(page: Any) -> None:
    go(page, case="sample/two-heads", step="x", entry="0 1")
    slider = page.get_by_label("value", exact=True)
    slider.focus()
    page.keyboard.press("End")
    reached = page.get_by_label("Change x[0, 0, 1] to").input_value()
    assert float(reached) == 1.8  # twice the largest entry
    assert shown(page)[1] == 1.8


@pytest.mark.parametrize("text", ["abc", "", "1,5", "1e999", "Infinity", "NaN"])
def test_what_is_no_number_is_refused_and_changes_nothing(page: Any, text: str) -> None:
    go(page, case="sample/two-heads", step="x")
    box = page.get_by_label("Change x[0, 0, 0] to")
    box.fill(text)
    assert "no finite number" in page.locator("#explorer [role=alert]").last.inner_text()
    assert page.evaluate("document.activeElement.matches(':invalid')")
    assert page.locator('[data-at="out 0 0"]').inner_text() == "0.8"
    page.get_by_role("button", name="Next").focus()
    assert box.input_value() == "0.8"
    assert page.locator("#explorer [role=alert]").last.inner_text() == ""


def test_a_link_restores_exactly_the_view(page: Any, browser: Any, address: str) -> None:
    page.get_by_label("Case").select_option(label="River bank, money bank, in order")
    for legend, label in (("Sequence", "1"), ("Head", "1"), ("Norm", "pre-norm")):
        page.get_by_role("group", name=legend).get_by_label(label, exact=True).check()
    page.get_by_role("group", name="Mask").get_by_label("padding").check()
    page.get_by_role("group", name="Padding").get_by_label("2").check()
    page.locator('[data-at="out 0 4"]').click()
    page.get_by_label("Change x[1, 0, 4] to").fill("0.1234567890123456")
    page.get_by_role("tab", name="logits").click()
    page.locator('[data-at="out 2 1"]').click()
    link = page.get_by_role("link", name="Link to this view").get_attribute("href")
    page.wait_for_function("link => location.hash === link", arg=link)
    there = page.evaluate("document.querySelector('#explorer').innerHTML")
    with opened(browser, address + link) as other:
        same = other.evaluate("document.querySelector('#explorer').innerHTML")
        checked = other.locator("#explorer :checked").count()
        assert checked == page.locator("#explorer :checked").count()
        assert "logits[1, 1, 2, 1]" in other.locator("#explorer .detail").inner_text()
    assert same == there


@pytest.mark.parametrize(
    ("query", "ignored"),
    [
        ("case=no/such&step=V", ["case=no/such"]),
        ("step=nonsense", ["step=nonsense"]),
        ("item=7&head=9&norm=mid&mask=all", ["item=7", "head=9", "norm=mid", "mask=all"]),
        ("cell=1&entry=0 99&padding=x", ["cell=1", "entry=0 99", "padding=x"]),
        ("x=0.0.0:abc", ["x=0.0.0:abc"]),
        ("x=0.0.99:1", ["x=0.0.99:1"]),
        ("other=%3Cb%3E", ["other=<b>"]),
        ("item=__proto__&head=-1&cell=0.5 1e3", ["item=__proto__", "head=-1", "cell=0.5 1e3"]),
    ],
)
def test_a_link_that_does_not_fit_says_so_and_shows_the_rest(
    browser: Any, address: str, query: str, ignored: list[str]
) -> None:
    with opened(browser, f"{address}#explorer?{query}") as page:
        said = page.locator("#explorer [role=alert]").first.inner_text()
        assert all(part in said for part in ignored), said
        assert page.locator("#explorer td.v").count() > 0
        page.get_by_role("button", name="Next").click()
        assert page.locator("#explorer [role=alert]").first.inner_text() == ""


def test_masked_weights_are_zero_and_hatched(page: Any) -> None:
    go(page, case=ORDERED, step="weights", mask="causal")
    masked = page.locator('[data-at^="out "].hatched')
    assert masked.all_inner_texts() == ["0"] * 6
    logits = page.locator('[data-at^="0 "].hatched')
    assert logits.all_inner_texts() == ["−∞"] * 6


def test_a_sequence_of_padding_alone_shows_nan_and_says_why(page: Any) -> None:
    go(page, case=ORDERED, step="weights", mask="padding", padding="0 1 2 3")
    assert set(page.locator('[data-at^="out "].v').all_inner_texts()) == {"nan"}
    assert "Every position is padding" in page.locator("#explorer .stage .note").inner_text()
    page.get_by_role("group", name="Padding").get_by_label("2").uncheck()
    assert page.locator('[data-at="out 0 2"]').inner_text() == "1"
    assert page.locator("#explorer .stage .note").inner_text() == ""


def test_an_overflow_is_explained(page: Any) -> None:
    go(page, case="sample/two-heads", step="norm1", x="0.0.0:1e300")
    assert "left the range of float64" in page.locator("#explorer .stage .note").inner_text()
