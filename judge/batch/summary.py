"""The summary of a batch: one HTML page by submission, by case and by mistake."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from judge.batch.collect import path_id
from judge.batch.rows import Row
from judge.report.markup import Markup, element, join
from judge.verdicts import Verdict

MOST_LISTED = 12


@dataclass(frozen=True)
class Summary:
    """Everything the page shows.

    Args:
        problem: the problem's name.
        rows: one a submission, in order of id.
        cases: name of every case in manifest order.
        titles: title of every explanation by id.
        missing: who is on the roster and handed in nothing.
        strangers: who handed in and is not on the roster.
        changed: id, old and new verdict of those whose verdict is another than before.
        twins: groups of ids whose sources are equal after normalising.
        pages: file of each learner's page by id, relative to this page.
    """

    problem: str
    rows: Sequence[Row]
    cases: Sequence[str]
    titles: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()
    strangers: Sequence[str] = ()
    changed: Sequence[tuple[str, str, str]] = ()
    twins: Sequence[Sequence[str]] = ()
    pages: Mapping[str, str] = field(default_factory=dict)


def by_case(summary: Summary) -> list[tuple[str, int]]:
    """Return each case with the number of submissions that fail it, in manifest order."""
    return [
        (name, sum(row.failed >> number & 1 for row in summary.rows))
        for number, name in enumerate(summary.cases)
    ]


def by_mistake(summary: Summary) -> list[tuple[str, list[str]]]:
    """Return each explanation that was given with the ids it was given to, the commonest first."""
    made: dict[str, list[str]] = {}
    for row in summary.rows:
        for mistake in dict.fromkeys(row.mistake_ids):
            made.setdefault(mistake, []).append(row.id)
    return sorted(made.items(), key=lambda item: (-len(item[1]), item[0]))


def to_summary_page(summary: Summary) -> bytes:
    """Return the page as one HTML document that asks for nothing from outside."""
    style = resources.files("judge.report").joinpath("page.css").read_text("utf-8") + _STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        Markup('<link rel="icon" href="data:,">'),
        element("title", f"{summary.problem}: {len(summary.rows)} submissions"),
        element("style", Markup(style)),
    )
    main = element(
        "main",
        _head(summary),
        _changed(summary),
        _people("On the roster, and handed in nothing", summary.missing),
        _people("Handed in, and not on the roster", summary.strangers),
        _mistakes(summary),
        _cases(summary),
        _twins(summary),
        _submissions(summary),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', main), lang='en')}\n".encode()


_STYLE = """
.cases.lines td { white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
.cases.lines td:first-child { min-width: 10rem; }
.cases.lines.who td:nth-child(-n+3), .cases.lines.who td:nth-child(5) { white-space: nowrap; }
.cases.lines.who td:first-child { white-space: normal; }
.share { display: block; width: 100%; min-width: 6rem; height: .8rem; margin-top: .35rem; }
.share rect { fill: var(--line); }
.share rect + rect { fill: var(--bad); }
"""


def _head(summary: Summary) -> Markup:
    counts = Counter(row.verdict for row in summary.rows)
    facts = [
        element("div", element("dt", verdict.meaning), element("dd", str(counts[verdict])))
        for verdict in Verdict
        if counts[verdict]
    ]
    mean = sum(row.score for row in summary.rows) / len(summary.rows) if summary.rows else 0.0
    facts.append(element("div", element("dt", "mean score"), element("dd", f"{mean:.2f}")))
    kind = "verdict good" if counts["AC"] == len(summary.rows) else "verdict odd"
    title = f"{len(summary.rows)} submissions to {summary.problem}"
    return element(
        "header", element("h1", title), element("dl", *facts, class_="facts"), class_=kind
    )


def _section(title: str, *children: str, note: str = "") -> Markup:
    explained = element("p", note, class_="faint") if note else None
    return element("section", element("h2", title), explained, *children)


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]], kind: str = "") -> Markup:
    head = element("thead", element("tr", [element("th", h, scope="col") for h in headings]))
    body = element(
        "tbody", [element("tr", [element("td", cell) for cell in line]) for line in lines]
    )
    return element(
        "div", element("table", head, body, class_=f"cases lines {kind}"), class_="scroll"
    )


def _share(count: int, total: int) -> Markup:
    """Draw a share as a bar; the number stands beside it."""
    width = 100 * count / max(total, 1)
    bars = [element("rect", width=w, height=8) for w in ("100", f"{width:.1f}")]
    return element(
        "svg",
        *bars,
        class_="share",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST_LISTED} more" if len(ids) > MOST_LISTED else ""
    return ", ".join(ids[:MOST_LISTED]) + more


def _changed(summary: Summary) -> Markup | None:
    if not summary.changed:
        return None
    return _section("Other verdicts than before", _table(["who", "before", "now"], summary.changed))


def _people(title: str, ids: Sequence[str]) -> Markup | None:
    return _section(title, element("p", ", ".join(ids))) if ids else None


def _mistakes(summary: Summary) -> Markup | None:
    made = by_mistake(summary)
    if not made:
        return None
    total = len(summary.rows)
    lines = [
        [summary.titles.get(name, name), str(len(ids)), _share(len(ids), total), _listed(ids)]
        for name, ids in made
    ]
    note = "What the judge takes to be the mistake; a pair of mistakes counts for both."
    return _section("By mistake", _table(["mistake", "how many", "", "who"], lines), note=note)


def _cases(summary: Summary) -> Markup:
    total = len(summary.rows)
    lines = [[name, str(count), _share(count, total)] for name, count in by_case(summary)]
    return _section("By case", _table(["case", "how many fail", ""], lines))


def _twins(summary: Summary) -> Markup | None:
    if not summary.twins:
        return None
    lines = [[str(len(ids)), _listed(ids)] for ids in summary.twins]
    note = (
        "Equal once layout, comments, docstrings and names are set aside. A place to look, and no "
        "verdict: a short exercise is often solved alike."
    )
    return _section("Equal sources", _table(["how many", "who"], lines), note=note)


def _submissions(summary: Summary) -> Markup:
    lines = []
    for row in summary.rows:
        page = summary.pages.get(row.id)
        who = element("a", row.id, href=page) if page else join(row.id)
        said = row.why or ", ".join(summary.titles.get(i, i) for i in row.mistake_ids)
        score = f"{row.score:.2f} ({row.passed} of {row.total})"
        elsewhere = "" if path_id(row.path) == row.id else row.path
        lines.append([who, row.verdict, score, said, f"{row.seconds:.2f} s", elsewhere])
    headings = ["who", "verdict", "score", "mistake or reason", "time", "file"]
    return _section("By submission", _table(headings, lines, "who"))
