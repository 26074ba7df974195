"""The rendered statement, cut and joined as a target's own format wants it.

A target that shows samples, limits and a template itself leaves those sections out. They are known
by their headings (`SAMPLES`, `JUDGING`, `STARTER`), which docs/exports.md lists for setters.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

SAMPLES = frozenset({"examples", "samples"})
JUDGING = frozenset({"how it is judged"})
STARTER = frozenset({"starter code"})

_FENCE = re.compile(r"^(```|~~~)")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?://)([^)\s]*)\)")
_DETAILS = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.DOTALL)
_TABLE = re.compile(r"^\|.*\n\|[-:| ]+\n(?:\|.*(?:\n|\Z))*", re.MULTILINE)
_WIDEST_TABLE = 72


@dataclass(frozen=True)
class Section:
    """A part of the statement under one heading of level 2."""

    heading: str
    body: str


@dataclass(frozen=True)
class Statement:
    """The statement in parts.

    Args:
        text: the whole, as it was rendered.
        title: the heading of level 1.
        lead: what stands before the first section.
        sections: the sections in order.
    """

    text: str
    title: str
    lead: str
    sections: tuple[Section, ...]

    @staticmethod
    def parse(text: str) -> Statement:
        """Take a rendered statement apart at its headings, which fenced code has none of."""
        title, parts, fenced = "", [("", list[str]())], False
        for line in text.splitlines():
            if _FENCE.match(line):
                fenced = not fenced
            if not fenced and line.startswith("# ") and not title:
                title = line[2:].strip()
            elif not fenced and line.startswith("## "):
                parts.append((line[3:].strip(), []))
            else:
                parts[-1][1].append(line)
        sections = [Section(heading, "\n".join(lines).strip()) for heading, lines in parts]
        return Statement(text, title, sections[0].body, tuple(sections[1:]))

    def without(self, headings: Collection[str]) -> str:
        """Return the statement as Markdown without its title and the sections so headed."""
        kept = [part for part in self.sections if part.heading.lower() not in headings]
        parts = [self.lead, *(f"## {part.heading}\n\n{part.body}" for part in kept)]
        return "\n\n".join(part for part in parts if part) + "\n"


def unlinked(text: str, kept: Collection[str] = ()) -> str:
    """Return Markdown without links to files beside it that a target has not.

    Of a line of facts with " · " between them, those with such a link go altogether.

    Args:
        text: the Markdown.
        kept: paths of files that the target has.
    """

    def dead(link: re.Match[str]) -> bool:
        path = link[2].partition("#")[0]
        return path not in kept and bool(path or not kept)

    lines = []
    for line in text.split("\n"):
        facts = line.split(" · ")
        if len(facts) > 1:
            facts = [fact for fact in facts if not any(map(dead, _LINK.finditer(fact)))]
        joined = " · ".join(facts)
        lines.append(_LINK.sub(lambda link: link[1] if dead(link) else link[0], joined))
    return "\n".join(lines)


def unfolded(text: str) -> str:
    """Return Markdown in which what was folded away stands open, after its summary in bold."""
    return _DETAILS.sub(lambda match: f"**{match[1].strip()}**\n\n{match[2].strip()}", text)


def narrowed(text: str) -> str:
    """Return Markdown whose wide tables are lists.

    pandoc gives the columns of a table with a line over 72 characters relative widths, and the
    LaTeX that it writes for them needs packages that problemtools does not load.
    """
    return _TABLE.sub(_as_list, text)


def _as_list(table: re.Match[str]) -> str:
    lines = table[0].strip().split("\n")
    if max(map(len, lines)) <= _WIDEST_TABLE:
        return table[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines[2:]]
    return "\n".join(f"- {row[0]}: {'; '.join(row[1:])}" for row in rows) + "\n"
