"""What must hold of the explorer's files as they are, without a browser."""

from __future__ import annotations

import json
import re

from explorer_page import EXPLORER

from judge.authoring.scripts import inline_modules

SOURCES = sorted(EXPLORER.glob("*.js"))
STEPS = 16


def test_script_and_styles_stay_under_40_kb() -> None:
    script = inline_modules(EXPLORER / "explorer.js").encode()
    styles = (EXPLORER / "explorer.css").read_bytes()
    assert len(script) + len(styles) < 40_000


def test_every_module_is_part_of_the_script() -> None:
    script = inline_modules(EXPLORER / "explorer.js")
    for path in SOURCES:
        first, *_ = path.read_text().splitlines()
        assert first in script


def test_no_markup_from_strings_no_evaluation_no_network() -> None:
    banned = re.compile(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|\beval\b|new Function|"
        r"\bfetch\b|XMLHttpRequest|WebSocket|\bimport\(|localStorage|cookie"
    )
    for path in SOURCES:
        assert not banned.search(path.read_text()), path.name


def test_nothing_moves_by_itself() -> None:
    styles = (EXPLORER / "explorer.css").read_text()
    assert not re.search(r"transition|animation|scroll-behavior|@keyframes", styles)
    for path in SOURCES:
        assert not re.search(r"smooth|requestAnimationFrame|setInterval", path.read_text())


def test_styles_reach_nothing_outside_the_explorer() -> None:
    styles = re.sub(r"/\*.*?\*/", "", (EXPLORER / "explorer.css").read_text(), flags=re.DOTALL)
    outermost = re.findall(r"^(\S.*?)\s*\{", styles, flags=re.MULTILINE)
    assert outermost == ["#explorer.live"]


def test_every_step_has_a_title_and_a_text() -> None:
    texts = json.loads((EXPLORER / "texts.json").read_text())
    script = (EXPLORER / "steps.js").read_text()
    attention = re.search(r'ATTENTION = "(.*)"', script)
    orders = re.findall(r"(?:post|pre): `(.*)`", script)
    assert attention is not None
    for order in orders:
        steps = order.replace("${ATTENTION}", attention[1]).split()
        assert len(steps) == STEPS
        assert set(steps) == set(texts["steps"])
    for said in texts["steps"].values():
        assert said["title"]
        assert said["text"].endswith(".")
        assert set(said) <= {"title", "text", "masked", "pre"}
        assert set(re.findall(r"\{(\w+)\}", json.dumps(said))) <= {"head"}


def test_lines_have_at_most_100_columns() -> None:
    for path in SOURCES:
        assert all(len(line) <= 100 for line in path.read_text().splitlines()), path.name
