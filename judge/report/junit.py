"""JUnit XML, as CI systems show it: a suite for each submission, a test case for each case.

The elements are those that Jenkins' schema (xunit-plugin, junit-10.xsd), GitLab and GitHub's
viewers share.
"""

from __future__ import annotations

import xml.sax.saxutils
from collections.abc import Iterable, Iterator, Sequence

from judge.report import words, writing
from judge.report.failures import failures
from judge.verdicts import CaseResult, Report, Verdict

_ERRORS = frozenset({Verdict.RTE, Verdict.CE, Verdict.JE})


def to_junit(reports: Sequence[Report]) -> bytes:
    """Return one JUnit XML document (UTF-8) for one or more reports.

    A wrong answer or a limit is a `failure`; an exception, a file that can't be loaded and a fault
    of the judge's are `error`s; a case that was not run is `skipped`.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for report in reports:
        lines += _suite(report)
    lines.append("</testsuites>")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _suite(report: Report) -> Iterator[str]:
    verdicts = [case.verdict for case in report.cases]
    errors = sum(verdict in _ERRORS for verdict in verdicts)
    skipped = verdicts.count(Verdict.NOT_RUN)
    failed = len(verdicts) - errors - skipped - verdicts.count(Verdict.AC)
    yield "  " + _tag(
        "testsuite",
        name=report.submission,
        tests=len(verdicts),
        failures=failed,
        errors=errors,
        skipped=skipped,
        time=_seconds(report.time.wall_s),
    )
    yield "    <properties>"
    for name, value in _properties(report):
        yield f"      {_tag('property', name=name, value=value)}</property>"
    yield "    </properties>"
    for case in report.cases:
        yield from _case(case, report)
    summary = _summary(report)
    if summary:
        yield f"    <system-out>{_text(summary)}</system-out>"
    yield "  </testsuite>"


def _properties(report: Report) -> Iterable[tuple[str, object]]:
    made = report.provenance
    return {
        "problem": report.problem,
        "verdict": report.verdict,
        "score": writing.points(report.score),
        "passed": f"{report.passed} of {report.total}",
        "isolation": ", ".join(report.isolation.proved) or "nothing proved",
        "judge": made.judge,
        "bundle": made.bundle,
        "source": made.source,
        "python": made.python,
        "numpy": made.numpy,
    }.items()


def _case(case: CaseResult, report: Report) -> Iterator[str]:
    own = case.name.removeprefix(f"{case.group}/")
    attributes = {
        "classname": f"{report.problem}.{case.group}",
        "name": own,
        "time": _seconds(case.time_s),
    }
    if case.verdict is Verdict.AC and not case.output:
        yield f"    {_tag('testcase', **attributes)}</testcase>"
        return
    yield "    " + _tag("testcase", **attributes)
    if case.verdict is Verdict.NOT_RUN:
        yield f"      {_tag('skipped', message=case.message or words.title(case))}</skipped>"
    elif case.verdict is not Verdict.AC:
        kind = "error" if case.verdict in _ERRORS else "failure"
        reason = f"/{case.reason}" if case.reason else ""
        head = _tag(kind, type=f"{case.verdict}{reason}", message=words.describe(case))
        yield f"      {head}{_text(_body(case))}</{kind}>"
    if case.output:
        yield f"      <system-out>{_text(case.output)}</system-out>"
    yield "    </testcase>"


def _body(case: CaseResult) -> str:
    return "\n".join(
        part for part in (words.describe(case), *case.traceback, words.advice(case)) if part
    )


def _summary(report: Report) -> str:
    lines = [
        f"{report.verdict} {report.verdict.meaning}: {report.passed} of "
        f"{writing.count(report.total, 'case')}"
    ]
    lines += [
        f"{len(f.cases)} x {f.first.verdict} {words.title(f.first)}" for f in failures(report)
    ]
    lines += [f"{finding.title}: {finding.advice}" for finding in report.diagnosis]
    lines += [f"Note: {note}" for note in report.notes]
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value:.6f}"


def _tag(element: str, /, **attributes: object) -> str:
    written = "".join(
        f" {name}={xml.sax.saxutils.quoteattr(writing.one_line(str(value)))}"
        for name, value in attributes.items()
    )
    return f"<{element}{written}>"


def _text(value: str) -> str:
    return xml.sax.saxutils.escape(writing.visible(value))
