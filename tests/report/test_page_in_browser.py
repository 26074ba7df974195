"""The HTML report in a real browser, offline: light and dark, narrow and wide, keyboard, print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.problem import Problem
from judge.report import for_audience
from judge.report.details import case_details
from judge.report.html import to_html
from judge.testcases import load_cases
from judge.verdicts import Reason, Verdict
from tests.conftest import ROOT
from tests.report.reports import EPS, SOURCE, accepted, difference, failed, report

pytestmark = pytest.mark.web

CHROMIUM = "/usr/bin/chromium"
WIDTHS = (360, 800, 1400)
HOSTILE = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"

# Text against what lies behind it, as WCAG 2.2 (1.4.3) compares them.
CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const pair = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) found.push([element.tagName, element.textContent.slice(0, 30), ratio]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    """Write a page of each kind, and return their addresses by name."""
    problem = Problem.load(ROOT)
    cases = load_cases(problem)
    outputs = {case.name: case.expected.copy() for case in cases}
    bad = []
    for case in cases:
        if "eps" in case.name or "overflow" in case.name or case.group == "sample":
            some = outputs[case.name].reshape(-1)[:: max(1, case.expected.size // 5)]
            some += np.logspace(-11, 2, some.size)
            error = difference(0.5, 100.5, some.size, case.expected.size)
            bad.append(failed(case.name, Verdict.WA, Reason.VALUE, output=HOSTILE, error=error))
        else:
            bad.append(accepted(case.name))
    outputs["secret/overflowing-logits"][0] = np.nan
    bad[0] = failed(cases[0].name, Verdict.RTE, Reason.EXCEPTION, HOSTILE, line=6)
    whole = report(bad, submission=HOSTILE, notes=[HOSTILE], diagnosis=[EPS])
    folder = tmp_path_factory.mktemp("pages")
    addresses = {}
    for audience in ("author", "learner"):
        details = case_details(problem, cases, outputs, audience)
        shows = dict.fromkeys(details, HOSTILE)
        seen = for_audience(whole, audience)
        path: Path = folder / f"{audience}.html"
        path.write_bytes(to_html(seen, SOURCE + HOSTILE, details=details, shows=shows))
        addresses[audience] = path.as_uri()
    return addresses


@contextmanager
def opened(browser: Any, address: str, **options: Any) -> Iterator[Any]:
    """Open a page; any console message, error or request but the file's own fails the test."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url))
    page.goto(address)
    yield page
    context.close()
    assert [trouble for trouble in troubles if trouble not in (address, "data:,")] == []


def unfold(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("audience", ["author", "learner"])
def test_a_page_fits_every_width_and_can_be_read_in_both_schemes(
    browser, pages, audience, scheme, width
):
    viewport = {"width": width, "height": 800}
    with opened(browser, pages[audience], color_scheme=scheme, viewport=viewport) as page:
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) == []
        assert page.title().startswith("RTE")


def test_a_submissions_text_stays_text(browser, pages):
    with opened(browser, pages["author"]) as page:
        unfold(page)
        assert page.locator("img").count() == 0
        assert "broken" not in page.title().replace(HOSTILE, "")
        assert page.get_by_text(HOSTILE, exact=True).count() > 2


def test_the_arrow_keys_read_single_elements(browser, pages):
    with opened(browser, pages["author"]) as page:
        unfold(page)
        card = page.locator("article", has=page.locator("h3", has_text="secret/near-eps-rows"))
        figures = card.locator(".figures").first
        figures.focus()
        readout = card.locator("output").first
        first = readout.text_content()
        assert "times the tolerance" in first
        index = [int(part) for part in re.search(r"\[(.*?)\]", first)[1].split(", ")]
        page.keyboard.press("ArrowUp")
        above = [
            int(part) for part in re.search(r"\[(.*?)\]", readout.text_content())[1].split(", ")
        ]
        flat = np.ravel_multi_index(index, (2, 5, 9))
        assert np.ravel_multi_index(above, (2, 5, 9)) == flat - 9
        assert card.locator(".cursor").count() == 3


def test_the_pointer_reads_the_element_under_it(browser, pages):
    with opened(browser, pages["author"]) as page:
        unfold(page)
        card = page.locator("article", has=page.locator("h3", has_text="secret/near-eps-rows"))
        picture = card.locator("svg").nth(1)
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        page.mouse.move(box["x"] + box["width"] * 8.5 / 9, box["y"] + box["height"] * 2.5 / 5)
        assert "result[1, 2, 8]" in card.locator("output").first.text_content()


def test_everything_that_can_be_opened_is_reached_by_keyboard_alone(browser, pages):
    with opened(browser, pages["learner"]) as page:
        wanted = page.locator("summary:visible").count()
        reached = set()
        for _ in range(80):
            page.keyboard.press("Tab")
            place = page.evaluate(
                "[...document.querySelectorAll('summary')].indexOf(document.activeElement)"
            )
            reached.add(place)
            if len(reached - {-1}) == wanted:
                break
        assert len(reached - {-1}) == wanted
        summary = page.locator("summary", has_text="As Python to paste").first
        summary.focus()
        page.keyboard.press("Enter")
        assert page.locator("pre.copy:visible").count() == 1


def test_a_snippet_is_copied(browser, pages):
    with opened(browser, pages["learner"]) as page:
        page.locator("summary", has_text="As Python to paste").first.click()
        button = page.get_by_role("button").first
        button.click()
        page.wait_for_function(
            "(button) => button.textContent !== 'Copy'", arg=button.element_handle()
        )
        assert "import numpy as np" in page.evaluate("String(getSelection())")


def test_without_scripts_the_page_says_the_same(browser, pages):
    with opened(browser, pages["author"], java_script_enabled=False) as page:
        body = page.locator("body").text_content()
        assert "What fails" in body
        assert "The largest errors as numbers" in body
        assert page.locator("svg").count() > 10
        assert page.locator("button").count() == 0


def test_in_print_the_values_are_unfolded(browser, pages):
    with opened(browser, pages["learner"]) as page:
        assert page.pdf(format="A4")[:5] == b"%PDF-"
        assert page.locator("details.values-of:not([open])").count() == 0
