"""The explorer for everyone: by keyboard, in both themes, on narrow screens, without scripts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_page import chromium, opened, page_html, shown_cases

pytestmark = pytest.mark.web

ACTIVE = "document.activeElement.dataset.at ?? document.activeElement.dataset.step ?? document.activeElement.tagName"  # noqa: E501
STEP = "document.querySelector('[aria-selected=true]').dataset.step"

# Every element that shows text: its colour and what lies behind it, as the browser mixes them.
COLOURS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
  };
  return [...document.querySelectorAll("#explorer *")]
    .filter(element => [...element.childNodes].some(
      node => node.nodeType === 3 && node.data.trim()))
    .filter(element => element.checkVisibility())
    .map(element => [element.tagName + " " + element.textContent.slice(0, 20),
                     rgba(getComputedStyle(element).color), behind(element)]);
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


def press(page: Any, *keys: str) -> str:
    """Press keys, and return where the focus then is."""
    for key in keys:
        page.keyboard.press(key)
    return str(page.evaluate(ACTIVE))


def tab_to(page: Any, wanted: str) -> None:
    """Press Tab until the focus is where it is wanted."""
    for _ in range(30):
        if press(page, "Tab") == wanted:
            return
    raise AssertionError(f"Tab does not reach {wanted}")


def linear(colour: Any) -> np.ndarray:
    """Return linear light of an sRGB colour given in 0..255."""
    part = np.array(colour[:3]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one: Any, other: Any) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2, 1.4.3)."""
    light, dark = sorted((linear(c) @ [0.2126, 0.7152, 0.0722] for c in (one, other)), reverse=True)
    return float((light + 0.05) / (dark + 0.05))


def test_the_keyboard_alone_walks_steps_tables_and_entries(page: Any) -> None:
    tab_to(page, "x")
    assert press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight") == "logits"
    assert press(page, "End") == "norm2"
    assert press(page, "ArrowRight") == "x"
    assert press(page, "ArrowLeft", "Home", "ArrowRight") == "Q"
    tab_to(page, "0 0 0")  # one stop for each table
    assert press(page, "Tab") == "1 0 0"
    assert press(page, "Tab") == "out 0 0"
    assert press(page, "ArrowDown", "ArrowRight", "ArrowRight") == "out 1 2"
    assert press(page, "ArrowDown", "ArrowDown") == "out 1 2"
    assert press(page, "Home") == "out 1 0"
    assert press(page, "End") == "out 1 3"
    assert press(page, "Control+Home") == "out 0 0"
    assert press(page, "Control+End", "ArrowLeft", "ArrowUp") == "out 0 2"
    assert page.locator("#explorer .detail span").first.inner_text().startswith("Q[0, 0, 2] = ")
    assert press(page, "PageDown") == "out 0 2"
    assert page.evaluate(STEP) == "K"
    assert press(page, "PageUp", "Shift+Tab", "Shift+Tab") == "0 0 0"
    assert page.evaluate(STEP) == "Q"


def test_the_keyboard_alone_changes_x_and_comes_back(page: Any) -> None:
    tab_to(page, "x")
    tab_to(page, "out 0 0")
    press(page, "ArrowDown", "ArrowRight")
    assert press(page, "Enter") == "INPUT"
    page.keyboard.type("-2.5")
    assert press(page, "Enter") == "out 1 1"
    assert page.locator('[data-at="out 1 1"]').inner_text() == "−2.5"
    assert press(page, "PageDown") == "out 1 1"
    # From a table that holds x among others, too.
    press(page, "Shift+Tab", "Shift+Tab", "ArrowUp")
    assert press(page, "Enter") == "INPUT"
    assert page.get_by_label("Change x[0, 0, 1] to").evaluate(
        "box => box === document.activeElement"
    )
    page.keyboard.type("3")
    assert press(page, "Escape") == "0 0 1"


def test_choosing_keeps_the_focus(page: Any) -> None:
    for legend, key in (("Norm", "ArrowRight"), ("Mask", "ArrowRight"), ("Head", "ArrowRight")):
        page.get_by_role("group", name=legend).locator(":checked").focus()
        press(page, key)
        assert page.evaluate("document.activeElement.matches('#explorer input:checked')")
    page.get_by_label("Case").focus()
    press(page, "ArrowDown")
    assert page.evaluate("document.activeElement.matches('#explorer select')")


def test_every_table_is_a_grid_with_a_name_and_one_tab_stop(page: Any) -> None:
    for _ in range(16):
        grids = page.get_by_role("grid")
        for n in range(grids.count()):
            assert "×" in grids.nth(n).get_attribute("aria-label")
            assert grids.nth(n).locator("[tabindex='0']").count() == 1
        page.get_by_role("button", name="Next").click()
    assert page.get_by_role("tabpanel").get_attribute("aria-labelledby") == "explorer-step"
    assert page.locator("#explorer .detail").evaluate("box => box.tagName") == "OUTPUT"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_readable_on_its_colour(browser: Any, address: str, scheme: str) -> None:
    view = "#explorer?case=explorer/banks-in-order&mask=causal&head=1&norm=pre&x=0.0.1:-1.2&step="
    with opened(browser, address, color_scheme=scheme) as page:
        worst = {}
        for step in ("x", "V", "logits", "weights", "norm1", "residual2"):
            page.goto(f"{address}{view}{step}")
            for text, ink, paper in page.evaluate(COLOURS):
                worst[text] = min(contrast(ink, paper), worst.get(text, 21))
    assert len(worst) > 100
    assert not {text: ratio for text, ratio in worst.items() if ratio < 4.5}


# Choose every entry of the output in turn; of each ring then shown: its width, its colour, and the
# colour beside it.
RINGS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = colour => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const ring = cell => {
    const style = getComputedStyle(cell);
    return [parseFloat(style.outlineWidth), rgb(style.outlineColor), rgb(style.backgroundColor)];
  };
  return [...document.querySelectorAll("[data-at^=out]")].map(entry => {
    entry.focus();
    return [...document.querySelectorAll("#explorer .lit, #explorer .chosen")].map(ring);
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_rings_around_entries_stand_out(browser: Any, address: str, scheme: str) -> None:
    view = "#explorer?case=explorer/banks-in-order&step=residual2"
    with opened(browser, address + view, color_scheme=scheme) as page:
        entries = page.evaluate(RINGS)
    assert len(entries) == 24
    for rings in entries:
        assert len(rings) == 3  # the entry, and the two that it is the sum of
        for width, ring, paper in rings:
            assert width >= 2
            assert contrast(ring, paper) >= 3, (ring, paper)  # WCAG 2.2, 1.4.11


# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency" (2009), severity 1.0, on linear light.
VISION = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],  # noqa: E501
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],  # noqa: E501
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],  # noqa: E501
}  # fmt: skip


def lab(light: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* (D65) of linear sRGB light."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = to_xyz @ np.clip(light, 0, 1) / [0.9505, 1.0, 1.089]
    f = [np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_below_above_and_zero_differ_for_every_colour_vision(
    browser: Any, address: str, scheme: str
) -> None:
    with opened(browser, f"{address}#explorer?step=x&x=0.0.1:0", color_scheme=scheme) as page:
        page.get_by_label("Change x[0, 0, 0] to").fill("-0.9")
        colours = {
            name: page.evaluate(COLOURS.replace("#explorer *", f"[data-at='out {at}']"))[0][2]
            for name, at in (("below", "0 0"), ("above", "1 2"), ("zero", "0 1"))
        }
    for vision, matrix in {"ordinary": np.eye(3), **VISION}.items():
        seen = {name: lab(np.array(matrix) @ linear(colour)) for name, colour in colours.items()}
        for one, other in itertools.combinations(seen, 2):
            # About ten times the least difference that an eye notices (2.3).
            assert np.linalg.norm(seen[one] - seen[other]) > 23, (vision, one, other)


@pytest.mark.parametrize("width", [360, 760])
def test_the_page_never_scrolls_sideways(browser: Any, address: str, width: int) -> None:
    view = "#explorer?case=explorer/banks-in-order&mask=padding"
    with opened(browser, address + view, viewport={"width": width, "height": 800}) as page:
        for _ in range(16):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.get_by_role("button", name="Next").click()
        chosen = page.locator("[aria-selected=true]").bounding_box()
        assert chosen is not None
        assert 0 <= chosen["x"] <= width - chosen["width"]


def test_without_scripts_what_the_page_says_stays(browser: Any, address: str) -> None:
    with opened(browser, address, java_script_enabled=False) as page:
        assert page.locator("#explorer p").inner_text() == "Tables as text."


@pytest.mark.parametrize("data", ["{", '{"cases": [], "texts": {}}', '{"cases": [{"name": "a"}]}'])
def test_broken_data_leaves_what_the_page_says_and_tells(
    browser: Any, tmp_path: Path, data: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page_html([], data))
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator("#explorer p").first.inner_text() == "Tables as text."
    assert "can't start" in page.locator("#explorer [role=alert]").inner_text()
    page.close()


def test_names_in_the_data_are_text_never_markup(browser: Any, tmp_path: Path) -> None:
    hostile = json.loads(json.dumps(shown_cases()[-1]))
    hostile["title"] = hostile["name"] = "</script><img src=x onerror=alert(1)>"
    hostile["tokens"] = [["<b>a</b>", "<img src=x>", "&amp;", "'\""]] * 2
    path = tmp_path / "page.html"
    path.write_text(page_html([hostile]))
    with opened(browser, path.as_uri()) as page:
        assert page.locator("#explorer img, #explorer b b").count() == 0
        assert "<b>a</b> 0" in page.locator("#explorer th").all_inner_texts()
