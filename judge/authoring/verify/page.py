"""The mistake x case table as one self-contained HTML page, with the matrix as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from judge.authoring.verify import Verification
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.table import to_text
from judge.report.markup import Markup, element, join
from judge.report.writing import brief

STEPS = (1.0, 20.0, 1e3, 1e6, 1e9)
"""Where the colours of the matrix change: error over tolerance."""

_LEVELS = ("accepted", "1 to 20", "20 to 1e3", "1e3 to 1e6", "1e6 to 1e9", "over 1e9", "NaN")
_NOT_FINITE = len(STEPS) + 1
_CELL = 11
_LEFT, _TOP = 250, 215


def to_page(verification: Verification) -> bytes:
    """Return the page.

    Args:
        verification: with results.
    """
    evidence = verification.evidence
    if evidence is None:
        raise ValueError("nothing was measured of a bundle that can't be read")
    title = f"{evidence.problem.name}: known mistakes and test cases"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        Markup('<link rel="icon" href="data:,">'),
        element("title", title),
        element("style", Markup(_style())),
    )
    body = element(
        "body",
        element("h1", title),
        element(
            "p",
            "Each row is a known mistake, each column a test case; a square says by how many times "
            "the tolerance the case rejects the mistake. Point at a square for its number.",
        ),
        _legend(),
        element("figure", _matrix(evidence)),
        element("h2", "Margins"),
        _margins(evidence),
        element("h2", "In words"),
        element("pre", to_text(verification)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n".encode()


def _style() -> str:
    return resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def levels(margins: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the colour of each margin: 0 accepted, then by `STEPS`, the last not finite."""
    found = np.searchsorted(STEPS, margins, side="left")
    return np.asarray(np.where(np.isfinite(margins), found, _NOT_FINITE))


def _legend() -> Markup:
    items = [
        element("li", element("i", class_=f"k{level}"), words)
        for level, words in enumerate(_LEVELS)
    ]
    return element("ul", items, class_="legend")


def _matrix(evidence: Evidence) -> Markup:
    rows, columns = evidence.margins.shape
    width, height = _LEFT + columns * _CELL + 20, _TOP + rows * _CELL + 10
    summary = f"{rows} mistakes in rows, {columns} cases in columns, coloured by margin"
    return element(
        "svg",
        element("title", summary),
        list(_case_names(evidence)),
        list(_mistake_names(evidence)),
        list(_squares(evidence)),
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=summary,
    )


def _case_names(evidence: Evidence) -> Iterator[Markup]:
    for column, case in enumerate(evidence.cases):
        x, y = _LEFT + column * _CELL + _CELL - 2, _TOP - 5
        core = "core" if column in evidence.core else None
        yield element("text", case.name, transform=f"translate({x} {y}) rotate(-90)", class_=core)


def _mistake_names(evidence: Evidence) -> Iterator[Markup]:
    stage = ""
    for row, mistake in enumerate(evidence.known):
        y = _TOP + row * _CELL
        yield element("text", mistake.id, x=_LEFT - 5, y=y + _CELL - 2, text_anchor="end")
        if row and mistake.stage != stage:
            end = _LEFT + len(evidence.cases) * _CELL
            yield element("path", d=f"M0 {y}H{end}", class_="rule")
        if mistake.stage != stage:
            stage = mistake.stage
            yield element("text", stage, x=0, y=y + _CELL - 2, class_="stage")


def _squares(evidence: Evidence) -> Iterator[Markup]:
    colours = levels(evidence.margins)
    for row, mistake in enumerate(evidence.known):
        cells = []
        for column, case in enumerate(evidence.cases):
            margin = brief(float(evidence.margins[row, column]))
            cells.append(
                element(
                    "rect",
                    element("title", f"{mistake.id} on {case.name}: {margin}"),
                    x=_LEFT + column * _CELL,
                    class_=f"k{colours[row, column]}",
                )
            )
        yield element("g", cells, transform=f"translate(0 {_TOP + row * _CELL})")


def _margins(evidence: Evidence) -> Markup:
    heads = ("mistake", "title", "stage", "best margin", "best case", "cases that reject it")
    rows = []
    for row, mistake in enumerate(evidence.known):
        margins = evidence.margins[row]
        best = int(margins.argmax())
        cells = (
            mistake.id,
            mistake.title,
            mistake.stage,
            brief(float(margins[best])),
            evidence.cases[best].name,
            str(int(np.count_nonzero(margins > 1))),
        )
        rows.append(element("tr", [element("td", cell) for cell in cells]))
    head = element("tr", [element("th", name, scope="col") for name in heads])
    return element("table", element("thead", head), element("tbody", join(rows)))
