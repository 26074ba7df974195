"""The report as one HTML page that asks for nothing from outside."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping
from importlib import resources

from judge.report import values, words
from judge.report.details import CaseDetail
from judge.report.failures import Failure, excerpt, failures, leading
from judge.report.markup import Markup, element, join
from judge.report.text import PROPERTIES
from judge.verdicts import CaseResult, Diagnosis, Reason, Report, Verdict

_MOST_CARDS = 100
_OUTPUTS = "Expected, got and difference"


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
    title = f"{report.verdict} {words.one_line(report.submission)}: {report.problem}"
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
    known, told = details or {}, shows or {}
    return join(
        [
            _verdict(report),
            element(
                "main",
                _failures(report, source, known, told),
                _diagnosis(report),
                _other_failures(report, source, known, told),
                _notes(report),
                _table(report, told),
                _other_values(report, known, told),
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


def _mood(verdict: Verdict) -> str | None:
    if verdict is Verdict.AC:
        return "good"
    return "odd" if verdict in (Verdict.JE, Verdict.NOT_RUN) else None


def _verdict(report: Report) -> Markup:
    facts = {
        "cases": f"{report.passed} of {report.total}",
        "score": words.points(report.score),
        "time": words.duration(report.time.wall_s),
        "isolation": "complete" if set(PROPERTIES) <= set(report.isolation.proved) else "weak",
        "problem": report.problem,
    }
    squares = [element("i", class_=_mood(case.verdict), title=case.name) for case in report.cases]
    bar = element(
        "div",
        squares,
        class_="bar",
        role="img",
        aria_label=f"{report.passed} of {words.count(report.total, 'case')} accepted",
    )
    return element(
        "header",
        element("h1", element("b", report.verdict), f" {report.verdict.meaning}"),
        element("p", words.one_line(report.submission), class_="file"),
        element("dl", [_fact(*fact) for fact in facts.items()], class_="facts"),
        bar,
        class_=f"verdict {_mood(report.verdict) or ''}".strip(),
    )


def _fact(name: str, value: str) -> Markup:
    return element("div", element("dt", name), element("dd", value))


def _failures(
    report: Report,
    source: str | None,
    details: Mapping[str, CaseDetail],
    shows: Mapping[str, str],
) -> Markup | None:
    """Show the failures that tell most; `_other_failures` folds the rest away."""
    found = leading(report)
    if not found:
        return None
    cards = [_card(failure, report, source, details, shows, opened=True) for failure in found]
    kind = words.kind_of_errors(report)
    summary = element("p", kind) if kind else None
    keys = values.legends() if details else None
    return element("section", element("h2", "What fails"), summary, keys, cards)


def _other_failures(
    report: Report,
    source: str | None,
    details: Mapping[str, CaseDetail],
    shows: Mapping[str, str],
) -> Markup | None:
    shown = leading(report)
    others = [failure for failure in failures(report) if failure not in shown]
    if not others:
        return None
    cards = [
        _card(failure, report, source, details, shows, opened=False)
        for failure in others[:_MOST_CARDS]
    ]
    rest = len(others) - len(cards)
    more = element("p", f"{rest} more failed; the table lists them.") if rest else None
    number = sum(len(failure.cases) for failure in others)
    heading = element("summary", element("b", f"Other cases that fail ({number})"))
    return element("section", element("details", heading, cards, more))


def _card(
    failure: Failure,
    report: Report,
    source: str | None,
    details: Mapping[str, CaseDetail],
    shows: Mapping[str, str],
    *,
    opened: bool,
) -> Markup:
    case = failure.first
    single = len(failure.cases) == 1
    kind = element(
        "span",
        f"{case.verdict} {words.title(case)}",
        class_=f"kind {_mood(case.verdict) or ''}".strip(),
    )
    return element(
        "article",
        element("header", element("h3", failure.heading(report.total)), kind),
        element("p", shows[case.name], class_="faint") if single and case.name in shows else None,
        _what(case),
        _source(source, case),
        element("p", words.advice(case)) if words.advice(case) else None,
        _output(case),
        _names(failure, report),
        _case_values(case, details, opened=opened),
        class_="card",
    )


def _what(case: CaseResult) -> Markup | None:
    """Tell the worst element, or what the judge said."""
    error = case.error
    if error is None or case.reason not in (Reason.VALUE, Reason.STATE):
        has_more = case.message and case.message != words.title(case)
        count = case.reason is Reason.NON_FINITE and error is not None
        return join(
            [
                element("p", case.message) if has_more else None,
                element("p", words.off_by(error)) if count and error else None,
            ]
        )
    expected, actual = words.numbers(error.expected, error.actual)
    rows = {"at": words.place(error.index), "expected": expected, "got": actual}
    terms = [join([element("dt", name), element("dd", text)]) for name, text in rows.items()]
    return join([element("dl", terms, class_="numbers"), element("p", words.off_by(error))])


def _source(source: str | None, case: CaseResult) -> Markup | None:
    shown = excerpt(source, case.line)
    if not shown:
        return None
    lines = [
        element(
            "span",
            element("i", str(line.number)),
            words.visible(line.text.expandtabs(8), frozenset()),
            class_="meant" if line.meant else None,
        )
        for line in shown
    ]
    steps = [element("p", step, class_="mono faint") for step in words.outer_steps(case)]
    label = f"lines {shown[0].number} to {shown[-1].number} of the submission"
    block = element("pre", lines, class_="source", tabindex=0, role="group", aria_label=label)
    return join([block, steps])


def _output(case: CaseResult) -> Markup | None:
    if not case.output:
        return None
    text = element("pre", case.output, class_="plain", tabindex=0)
    return element("details", element("summary", "What it printed"), text)


def _names(failure: Failure, report: Report) -> Markup | None:
    if not 1 < len(failure.cases) < report.total:
        return None
    names = ", ".join(case.name for case in failure.cases)
    return element("details", element("summary", "Which cases"), element("p", names))


def _case_values(
    case: CaseResult, details: Mapping[str, CaseDetail], *, opened: bool
) -> Markup | None:
    detail = details.get(case.name)
    if detail is None or case.verdict is Verdict.CE:
        return None
    wrong = detail.actual is not None and case.verdict is not Verdict.AC
    return join(
        [
            element(
                "details",
                element("summary", _OUTPUTS if detail.actual is not None else "Expected"),
                values.outputs(detail),
                open=opened and wrong,
                class_="values-of",
            ),
            element("details", element("summary", "Inputs"), values.inputs(detail)),
            element(
                "details",
                element("summary", "As Python to paste"),
                element("pre", detail.snippet, class_="plain copy", tabindex=0),
            )
            if detail.snippet
            else None,
        ]
    )


def _diagnosis(report: Report) -> Markup | None:
    if not report.diagnosis:
        return None
    cards = [_finding(finding) for finding in report.diagnosis]
    return element("section", element("h2", "What it looks like"), cards)


def _finding(finding: Diagnosis) -> Markup:
    evidence = None
    if finding.evidence is not None:
        cases = words.count(finding.evidence.cases, "core case")
        distance = words.brief(finding.evidence.distance, 1)
        text = f"Its outputs are those of this mistake on {cases} (distance {distance})."
        evidence = element("p", text, class_="faint")
    more = None
    if finding.counterexample:
        command = element("code", f"judge show --counterexample {finding.counterexample}")
        more = element("p", "See it: ", command, class_="faint")
    return element(
        "article",
        element("header", element("h3", finding.title)),
        element("p", finding.advice) if finding.advice else None,
        evidence,
        more,
        class_="card diagnosis",
    )


def _notes(report: Report) -> Markup | None:
    if not report.notes:
        return None
    return element("section", element("h2", "Notes"), [element("p", note) for note in report.notes])


def _table(report: Report, shows: Mapping[str, str]) -> Markup:
    heads = [
        element("th", "case", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "what", scope="col", class_="wide"),
        element("th", "error / tolerance", scope="col", class_="number"),
        element("th", "time", scope="col", class_="number wide"),
    ]
    rows = [_row(case, shows) for case in report.cases]
    table = element(
        "table",
        element("thead", element("tr", heads)),
        element("tbody", rows),
        class_="cases",
    )
    return element("section", element("h2", "All cases"), element("div", table, class_="scroll"))


def _row(case: CaseResult, shows: Mapping[str, str]) -> Markup:
    what = "" if case.verdict is Verdict.AC else words.title(case)
    error = words.brief(case.error.error_over_tolerance) if case.error else ""
    return element(
        "tr",
        element("th", case.name, scope="row", title=shows.get(case.name)),
        element("td", element("b", case.verdict)),
        element("td", what, class_="wide"),
        element("td", error, class_="number"),
        element("td", words.duration(case.time_s) if case.time_s else "", class_="number wide"),
        class_=_mood(case.verdict),
    )


def _other_values(
    report: Report, details: Mapping[str, CaseDetail], shows: Mapping[str, str]
) -> Markup | None:
    """Show the values of cases that no card above shows."""
    carded = {failure.first.name for failure in failures(report)}
    others = [c for c in report.cases if c.name in details and c.name not in carded]
    cards = [
        element(
            "article",
            element("header", element("h3", case.name), element("span", str(case.verdict))),
            element("p", shows[case.name], class_="faint") if case.name in shows else None,
            _output(case),
            _case_values(case, details, opened=False),
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
