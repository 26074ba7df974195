"""The report as one HTML page that asks for nothing from outside."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping
from importlib import resources

from judge.report import values, words, writing
from judge.report.cards import (
    Material,
    case_values,
    diagnosis_card,
    failure_card,
    mood,
    printed,
    purpose,
)
from judge.report.details import CaseDetail
from judge.report.failures import failures, leading
from judge.report.markup import Markup, element, join
from judge.sandbox.selftest import missing_properties
from judge.verdicts import CaseResult, Report, Verdict

_MOST_CARDS = 100


def to_html(
    report: Report,
    source: str | None = None,
    *,
    details: Mapping[str, CaseDetail] | None = None,
    shows: Mapping[str, str] | None = None,
) -> bytes:
    """Return one HTML document (UTF-8): no script, style, font or picture comes from elsewhere.

    Args:
        report: already reduced to what its reader may see (`for_audience`).
        source: the submission's text, from which lines that failed are shown.
        details: values of those cases that the reader may see (`case_details`), by name.
        shows: what each of them shows, by name.
    """
    title = f"{report.verdict} {writing.one_line(report.submission)}: {report.problem}"
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        Markup('<link rel="icon" href="data:,">'),
        element("title", title),
        element("style", Markup(style)),
    )
    body = element("body", report_body(report, source, details=details, shows=shows))
    page = element("html", head, body, element("script", Markup(script)), lang="en")
    return f"<!DOCTYPE html>\n{page}\n".encode()


def report_body(
    report: Report,
    source: str | None = None,
    *,
    details: Mapping[str, CaseDetail] | None = None,
    shows: Mapping[str, str] | None = None,
) -> Markup:
    """Return the page's content alone, for a page that has a head of its own; see `to_html`."""
    material = Material(source, details or {}, shows or {})
    return join(
        [
            _verdict(report),
            element(
                "main",
                _failures(report, material),
                _diagnosis(report),
                _other_failures(report, material),
                _notes(report),
                _table(report, material),
                _other_values(report, material),
            ),
            _provenance(report),
        ]
    )


@functools.cache
def _asset(name: str) -> str:
    return resources.files("judge.report").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return a source expression that allows one inline element (CSP level 3, section 2.3.1)."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _verdict(report: Report) -> Markup:
    facts = {
        "cases": f"{report.passed} of {report.total}",
        "score": writing.points(report.score),
        "time": writing.duration(report.time.wall_s),
        "isolation": "weak" if missing_properties(report.isolation) else "complete",
        "problem": report.problem,
    }
    squares = [element("i", class_=mood(case.verdict), title=case.name) for case in report.cases]
    bar = element(
        "div",
        squares,
        class_="bar",
        role="img",
        aria_label=f"{report.passed} of {writing.count(report.total, 'case')} accepted",
    )
    return element(
        "header",
        element("h1", element("b", report.verdict), f" {report.verdict.meaning}"),
        element("p", writing.one_line(report.submission), class_="file"),
        element("dl", [_fact(*fact) for fact in facts.items()], class_="facts"),
        bar,
        class_=f"verdict {mood(report.verdict) or ''}".strip(),
    )


def _fact(name: str, value: str) -> Markup:
    return element("div", element("dt", name), element("dd", value))


def _failures(report: Report, material: Material) -> Markup | None:
    """Show the failures that tell most; `_other_failures` folds the rest away."""
    found = leading(report)
    if not found:
        return None
    cards = [failure_card(failure, report, material, opened=True) for failure in found]
    kind = words.kind_of_errors(report)
    summary = element("p", kind) if kind else None
    keys = values.legends() if material.details else None
    return element("section", element("h2", "What fails"), summary, keys, cards)


def _other_failures(report: Report, material: Material) -> Markup | None:
    shown = leading(report)
    others = [failure for failure in failures(report) if failure not in shown]
    if not others:
        return None
    cards = [
        failure_card(failure, report, material, opened=False) for failure in others[:_MOST_CARDS]
    ]
    rest = len(others) - len(cards)
    more = element("p", f"{rest} more failed; the table lists them.") if rest else None
    number = sum(len(failure.cases) for failure in others)
    heading = element("summary", element("b", f"Other cases that fail ({number})"))
    return element("section", element("details", heading, cards, more))


def _diagnosis(report: Report) -> Markup | None:
    if not report.diagnosis:
        return None
    cards = [diagnosis_card(finding) for finding in report.diagnosis]
    return element("section", element("h2", "What it looks like"), cards)


def _notes(report: Report) -> Markup | None:
    if not report.notes:
        return None
    return element("section", element("h2", "Notes"), [element("p", note) for note in report.notes])


def _table(report: Report, material: Material) -> Markup:
    heads = [
        element("th", "case", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "what", scope="col", class_="wide"),
        element("th", "error / tolerance", scope="col", class_="number"),
        element("th", "time", scope="col", class_="number wide"),
    ]
    rows = [_row(case, material) for case in report.cases]
    table = element(
        "table",
        element("thead", element("tr", heads)),
        element("tbody", rows),
        class_="cases",
    )
    return element("section", element("h2", "All cases"), element("div", table, class_="scroll"))


def _row(case: CaseResult, material: Material) -> Markup:
    what = "" if case.verdict is Verdict.AC else words.title(case)
    error = writing.brief(case.error.error_over_tolerance) if case.error else ""
    return element(
        "tr",
        element("th", case.name, scope="row", title=material.shows.get(case.name)),
        element("td", element("b", case.verdict)),
        element("td", what, class_="wide"),
        element("td", error, class_="number"),
        element("td", writing.duration(case.time_s) if case.time_s else "", class_="number wide"),
        class_=mood(case.verdict),
    )


def _other_values(report: Report, material: Material) -> Markup | None:
    """Show the values of cases that no card above shows."""
    carded = {failure.first.name for failure in failures(report)}
    others = [c for c in report.cases if c.name in material.details and c.name not in carded]
    cards = [
        element(
            "article",
            element("header", element("h3", case.name), element("span", str(case.verdict))),
            purpose(case, material),
            printed(case),
            case_values(case, material, opened=False),
            class_="card",
        )
        for case in others[:_MOST_CARDS]
        if case.verdict is not Verdict.CE
    ]
    if not cards:
        return None
    heading = element("summary", element("b", f"Values of the other cases ({len(cards)})"))
    return element("section", element("details", heading, values.legends(), cards))


def _provenance(report: Report) -> Markup:
    terms = [
        join([element("dt", name), element("dd", fact)]) for name, fact in words.provenance(report)
    ]
    return element("footer", element("dl", terms))
