"""The picture of a report: columns stay columns in every browser."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from judge.authoring.picture import terminal_picture
from tests.conftest import ROOT

TEXT = "{http://www.w3.org/2000/svg}text"
TITLE = "judge run my_solution.py"


def lines(picture: str) -> list[str]:
    title, *found = ["".join(text.itertext()) for text in ET.fromstring(picture).iter(TEXT)]
    assert title == TITLE
    return found


def test_spaces_are_kept_and_colours_become_spans():
    picture = terminal_picture("\x1b[1;31mWA\x1b[0m  a < b\n\n    got  1\n", TITLE)
    assert lines(picture) == [
        line.replace(" ", "\N{NO-BREAK SPACE}") for line in ("WA  a < b", "", "    got  1")
    ]
    assert '<tspan font-weight="bold" fill="#ff7b72">WA</tspan>' in picture


def test_the_picture_in_the_readme_is_made_like_this():
    kept = (ROOT / "docs" / "report.svg").read_text(encoding="utf-8")
    found = lines(kept)
    assert all(" " not in line for line in found)
    plain = terminal_picture("\n".join(found), TITLE)
    assert plain.splitlines()[0] == kept.splitlines()[0]
    assert lines(plain) == found
