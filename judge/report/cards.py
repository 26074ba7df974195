"""The cards of a page: one for each failure and each diagnosis, with what belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judge.report import values, words, writing
from judge.report.details import CaseDetail
from judge.report.failures import Failure, excerpt
from judge.report.markup import Markup, element, join
from judge.verdicts import CaseResult, Diagnosis, Reason, Report, Verdict

_OUTPUTS = "Expected, got and difference"


@dataclass(frozen=True)
class Material:
    """What a page shows beside the report, each of those cases alone that its reader may see.

    Args:
        source: the submission's text, from which lines that failed are shown.
        details: inputs, answers and results by case name.
        shows: what each case shows, by name.
    """

    source: str | None
    details: Mapping[str, CaseDetail]
    shows: Mapping[str, str]


def failure_card(failure: Failure, report: Report, material: Material, *, opened: bool) -> Markup:
    """Return a card for cases that failed alike: what kind, the numbers or the line, the values.

    Args:
        failure: the cases.
        report: where they stand.
        material: what can be shown of them.
        opened: whether the difference is to be seen at once.
    """
    case = failure.first
    single = len(failure.cases) == 1
    kind = element(
        "span",
        f"{case.verdict} {words.title(case)}",
        class_=f"kind {mood(case.verdict) or ''}".strip(),
    )
    return element(
        "article",
        element("header", element("h3", failure.heading(report.total)), kind),
        purpose(case, material) if single else None,
        _what(case),
        _source(material.source, case),
        element("p", words.advice(case)) if words.advice(case) else None,
        printed(case),
        _names(failure, report),
        case_values(case, material, opened=opened),
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
    expected, actual = writing.numbers(error.expected, error.actual)
    rows = {"at": writing.place(error.index), "expected": expected, "got": actual}
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
            writing.visible_line(line.text.expandtabs(8)),
            class_="meant" if line.meant else None,
        )
        for line in shown
    ]
    steps = [element("p", step, class_="mono faint") for step in words.outer_steps(case)]
    label = f"lines {shown[0].number} to {shown[-1].number} of the submission"
    block = element("pre", lines, class_="source", tabindex=0, role="group", aria_label=label)
    return join([block, steps])


def purpose(case: CaseResult, material: Material) -> Markup | None:
    """Return what a case shows, or None where that is not to be told."""
    text = material.shows.get(case.name)
    return element("p", text, class_="faint") if text else None


def printed(case: CaseResult) -> Markup | None:
    """Return what the submission printed in a case, folded, or None."""
    if not case.output:
        return None
    text = element("pre", case.output, class_="plain", tabindex=0)
    return element("details", element("summary", "What it printed"), text)


def _names(failure: Failure, report: Report) -> Markup | None:
    if not 1 < len(failure.cases) < report.total:
        return None
    names = ", ".join(case.name for case in failure.cases)
    return element("details", element("summary", "Which cases"), element("p", names))


def case_values(case: CaseResult, material: Material, *, opened: bool) -> Markup | None:
    """Return a case's outputs, inputs and snippet, each folded, or None where none is to be seen.

    Args:
        case: the case.
        material: what can be shown of it.
        opened: whether the difference is to be seen at once, if there is one.
    """
    detail = material.details.get(case.name)
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


def diagnosis_card(finding: Diagnosis) -> Markup:
    """Return a card for one explanation of what is wrong."""
    evidence = None
    if finding.evidence is not None:
        cases = writing.count(finding.evidence.cases, "core case")
        distance = writing.brief(finding.evidence.distance, 1)
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


def mood(verdict: Verdict) -> str | None:
    """Return the class that colours a verdict: good, odd, or None for bad."""
    if verdict is Verdict.AC:
        return "good"
    return "odd" if verdict in (Verdict.JE, Verdict.NOT_RUN) else None
