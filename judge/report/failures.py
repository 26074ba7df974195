"""Failing cases gathered by what they say, and the submission's lines that they point at."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from judge.report.words import WORDS
from judge.verdicts import CaseResult, Reason, Report, Verdict

_BEFORE = 2
_AFTER = 1


class Failure(msgspec.Struct, frozen=True):
    """Cases that failed in the same way, told once.

    Args:
        cases: at least one, in the report's order; the first speaks for all.
    """

    cases: tuple[CaseResult, ...]

    @property
    def first(self) -> CaseResult:
        """The case that stands for all."""
        return self.cases[0]

    def heading(self, total: int) -> str:
        """Name the cases: "all 40 cases" when there are no others."""
        names = [case.name for case in self.cases]
        if self.first.verdict is Verdict.CE:
            return "no case was run"
        if len(names) == 1:
            return names[0]
        if len(names) == total:
            return f"all {total} cases"
        return f"{names[0]} and {len(names) - 1} more"


def failures(report: Report) -> list[Failure]:
    """Return the failing cases of a report; those that say exactly the same are one failure."""
    gathered: dict[tuple[object, ...], list[CaseResult]] = {}
    told: dict[tuple[object, ...], tuple[object, ...]] = {}
    for case in report.cases:
        if case.verdict in (Verdict.AC, Verdict.NOT_RUN):
            continue
        key = _saying(case)
        kind = (case.verdict, case.reason)
        if _is_reduced(case):
            # A learner is told nothing more of it than that it is of this kind.
            key = told.get(kind, key)
        elif case.reason not in (Reason.VALUE, Reason.STATE):
            told.setdefault(kind, key)
        gathered.setdefault(key, []).append(case)
    return [Failure(tuple(cases)) for cases in gathered.values()]


def _is_reduced(case: CaseResult) -> bool:
    return case.reason is not None and case.message == WORDS[case.reason].title


def leading(report: Report) -> list[Failure]:
    """Return the failures that tell most, in the report's order.

    They are the first of every kind, and the case whose values are furthest off.
    """
    found = failures(report)
    firsts: dict[tuple[object, ...], Failure] = {}
    for failure in found:
        firsts.setdefault((failure.first.verdict, failure.first.reason), failure)
    chosen = list(firsts.values())
    measured = [f for f in found if f.first.reason is Reason.VALUE and f.first.error is not None]
    if measured:
        chosen.append(max(measured, key=_times))
    return [failure for failure in found if any(failure is other for other in chosen)]


def _times(failure: Failure) -> float:
    error = failure.first.error
    return float(error.error_over_tolerance) if error else 0.0


def _saying(case: CaseResult) -> tuple[object, ...]:
    """Return what must be equal for two cases to be told as one."""
    if case.error is not None and case.reason in (Reason.VALUE, Reason.STATE):
        return (case.name,)
    if case.reason is Reason.EXCEPTION:
        # The same line fails in the same way; only sizes and values in the message differ.
        return (case.verdict, case.exception, case.line)
    return (case.verdict, case.reason, case.message, case.line)


class SourceLine(msgspec.Struct, frozen=True):
    """One line of a submission: its number from 1, its text, and whether it is the one meant."""

    number: int
    text: str
    meant: bool


def excerpt(source: str | None, line: int | None) -> list[SourceLine]:
    """Return the lines around a line of the submission, or nothing when there is no such line."""
    if source is None or line is None:
        return []
    lines = split_lines(source)
    if not 1 <= line <= len(lines):
        return []
    first, last = max(1, line - _BEFORE), min(len(lines), line + _AFTER)
    shown = [
        SourceLine(number, lines[number - 1], number == line) for number in range(first, last + 1)
    ]
    while shown and not shown[0].text.strip() and not shown[0].meant:
        del shown[0]
    while shown and not shown[-1].text.strip() and not shown[-1].meant:
        del shown[-1]
    return shown


def split_lines(source: str) -> Sequence[str]:
    """Split a submission as Python counts its lines: at LF, CR LF and CR, not at form feeds."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
