"""The page in a real browser, opened from a file without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explorer_page import chromium

from judge.authoring.page import page as whole_page
from judge.authoring.statement import render
from judge.problem import Problem

pytestmark = pytest.mark.web

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
VIEWS = {
    "light": {"color_scheme": "light", "viewport": WIDE},
    "dark": {"color_scheme": "dark", "viewport": WIDE},
    "narrow": {"color_scheme": "light", "viewport": NARROW},
    "narrow-dark": {"color_scheme": "dark", "viewport": NARROW},
    "no-script": {"color_scheme": "light", "viewport": WIDE, "java_script_enabled": False},
}


class Seen:
    """What a page said on the console, and what it asked the network for."""

    def __init__(self, page: Any) -> None:
        self.console: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.console.append(message.text))
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    problem = Problem.load(Path(__file__).parents[2])
    path: Path = tmp_path_factory.mktemp("page") / "statement.html"
    path.write_text(whole_page(problem, render(problem)), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(params=VIEWS)
def opened(
    request: pytest.FixtureRequest, browser: Any, address: str
) -> Iterator[tuple[Any, Seen]]:
    context = browser.new_context(**VIEWS[request.param], offline=True)
    page = context.new_page()
    seen = Seen(page)
    page.goto(address)
    yield page, seen
    context.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    context = browser.new_context(viewport=WIDE, offline=True)
    opened = context.new_page()
    opened.goto(address)
    yield opened
    context.close()


def test_it_opens_without_a_network_a_complaint_or_a_scrollbar_below(
    opened: tuple[Any, Seen], address: str
) -> None:
    page, seen = opened
    assert page.title() == "Encoder Block"
    assert page.locator("h1").inner_text().startswith("Encoder Block")
    assert seen.console == []
    assert [url for url in seen.requests if not url.startswith("data:")] == [address]
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0


@pytest.mark.parametrize("view", ["light", "narrow-dark"])
def test_axe_finds_nothing(browser: Any, address: str, view: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(**VIEWS[view], offline=True, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    found = Axe().run(page).response["violations"]
    context.close()
    assert [
        f"{rule['id']}: {rule['help']}: {node['target']}: {node['failureSummary'][:200]}"
        for rule in found
        for node in rule["nodes"][:3]
    ] == []


def test_formulas_are_set_in_the_embedded_font_and_brackets_stretch(page: Any) -> None:
    assert page.evaluate("document.fonts.check('16px \"Judge Math\"')")
    heights = page.evaluate(
        """() => {
          const formula = document.querySelector('math[alttext*="softmax"]:has(mo[fence])');
          const fence = formula.querySelector("mo[fence]").getBoundingClientRect().height;
          return [fence, formula.querySelector("mfrac").getBoundingClientRect().height];
        }"""
    )
    assert heights[0] >= 0.9 * heights[1]


def test_no_gap_stands_behind_a_root(page: Any) -> None:
    excess = page.evaluate(
        """() => {
          const root = document.querySelector("p msqrt");
          const inside = root.firstElementChild.getBoundingClientRect();
          const size = parseFloat(getComputedStyle(root).fontSize);
          return (root.getBoundingClientRect().right - inside.right) / size;
        }"""
    )
    assert excess < 0.1


def test_hints_fold_and_unfold_by_keyboard(page: Any) -> None:
    hints = [page.locator("summary", has_text=f"Hint {number}") for number in (1, 2, 3)]
    text = page.locator("details", has=hints[0]).locator("p")
    assert not text.is_visible()
    hints[0].focus()
    page.keyboard.press("Enter")
    assert text.is_visible()
    page.keyboard.press("Space")
    assert not text.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Hint 2"


def test_the_first_stop_of_the_keyboard_skips_to_the_text(page: Any) -> None:
    page.keyboard.press("Tab")
    skip = page.evaluate(
        "[document.activeElement.textContent, document.activeElement.getBoundingClientRect().top]"
    )
    assert skip[0] == "Skip to the text"
    assert skip[1] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "text"


def test_focus_is_shown(page: Any) -> None:
    page.locator(".contents .wide a").first.focus()
    page.keyboard.press("Tab")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


def test_contents_lead_to_their_sections(page: Any) -> None:
    page.locator(".contents .wide a", has_text="Worked example").click()
    top = page.locator("#theory-worked-example").bounding_box()["y"]
    assert 0 <= top < 120


def test_a_link_into_a_folded_part_opens_it(page: Any) -> None:
    page.evaluate(
        """() => {
          const folds = [...document.querySelectorAll("details")];
          const hint = folds.find((part) => part.textContent.includes("Hint 3"));
          hint.querySelector("p").id = "inside";
          location.hash = "#inside";
        }"""
    )
    page.wait_for_function("() => document.getElementById('inside').closest('details').open")


def test_what_is_wider_than_the_page_can_be_scrolled_by_keyboard(
    browser: Any, address: str
) -> None:
    context = browser.new_context(viewport=NARROW, offline=True)
    page = context.new_page()
    page.goto(address)
    table = page.locator("#theory .table").first
    table.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('#theory .table').tabIndex === 0")
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#theory .table').scrollLeft > 0")
    context.close()


def test_code_can_be_copied(browser: Any, address: str) -> None:
    context = browser.new_context(viewport=WIDE, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    starter = page.locator(".code", has_text="Write your code here")
    starter.locator("button.copy").click()
    starter.locator("button.copy", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    context.close()
    wanted = (Path(__file__).parents[2] / "starter" / "encoder_block.py").read_text()
    assert copied.rstrip() == wanted.rstrip()


def test_the_explorer_of_the_page_follows_the_keyboard_and_the_theorys_link(page: Any) -> None:
    page.locator("a", has_text="Step through this example in the explorer").click()
    page.locator("#explorer.live").wait_for()
    page.wait_for_function("() => document.querySelector('#explorer h3').textContent.includes('Q')")
    assert page.locator("#explorer select").first.input_value()
    assert not page.locator("#explorer details", has_text="every step").count()
    page.locator("#explorer button", has_text="Next").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#explorer h3').textContent.includes('K')")


def test_without_scripts_the_tables_stand_in_the_explorers_place(
    browser: Any, address: str
) -> None:
    context = browser.new_context(viewport=WIDE, java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(address)
    fold = page.locator("#explorer summary", has_text="Two heads: every step")
    fold.click()
    assert page.locator("#explorer details[open] caption", has_text="head 1: weights").is_visible()
    assert page.locator("button.copy").count() == 0
    context.close()


def test_print_is_light_and_has_no_navigation(browser: Any, address: str) -> None:
    context = browser.new_context(color_scheme="dark", viewport=WIDE, offline=True)
    page = context.new_page()
    page.goto(address)
    page.emulate_media(media="print")
    assert not page.locator(".contents").is_visible()
    ground = "getComputedStyle(document.body).backgroundColor"
    figure = (
        "getComputedStyle(document.querySelector('#fig-block')).getPropertyValue('--ground').trim()"
    )
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert page.evaluate(figure) == "#ffffff"
    context.close()
