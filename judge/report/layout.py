"""How text reports are laid out: width, colours, and lines that fit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judge.report import writing

_NARROWEST = 40
_WIDEST = 110


@dataclass(frozen=True)
class TextStyle:
    """How a text report is laid out.

    Args:
        width: columns of the terminal.
        color: whether to write ANSI colours.
        verbose: every failure, every case, printed output and provenance.
        advice: the explicitness that the diagnosis was asked for, so that more can be offered.
        shows: what each case shows, by name, of those cases that the reader may look at.
    """

    width: int = 80
    color: bool = False
    verbose: bool = False
    advice: str = "gentle"
    shows: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> int:
        """The columns to fill: long lines are hard to read, and below 40 nothing fits."""
        return min(max(self.width, _NARROWEST), _WIDEST)

    def paint(self, text: str, *codes: str) -> str:
        """Colour a text, if colours are wanted (ECMA-48, section 8.3.117)."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.color and text and codes else text


def wrapped(text: str, indent: int, style: TextStyle) -> list[str]:
    """Break a text into lines of the report's width, each indented by some columns."""
    return [f"{' ' * indent}{piece}" for piece in pieces(text, indent, style)]


def pieces(text: str, indent: int, style: TextStyle) -> list[str]:
    """Break a text into lines that leave room for an indent, which is not written."""
    width = style.columns - indent
    found: list[str] = []
    for line in writing.visible(text).splitlines():
        found += textwrap.wrap(line, width, break_on_hyphens=False) or [""]
    return found


def side_by_side(parts: Iterable[str], indent: int, style: TextStyle) -> list[str]:
    """Set short hints side by side where they fit."""
    listed = list(parts)
    line = " " * indent + "      ".join(listed)
    if not listed or len(line) <= style.columns:
        return [line] if listed else []
    return [piece for part in listed for piece in wrapped(part, indent, style)]


def middle_cut(name: str, width: int) -> str:
    """Cut a name in its middle, where it says least."""
    if len(name) <= width:
        return name
    tail = (width - 1) * 2 // 3
    return f"{name[: width - 1 - tail]}…{name[-tail:]}"
