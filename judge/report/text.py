"""The text report: what a learner reads in a terminal, short unless asked for more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from judge.report import words, writing
from judge.report.failures import Failure, excerpt, failures, leading
from judge.report.layout import TextStyle, middle_cut, pieces, side_by_side, wrapped
from judge.sandbox.selftest import missing_properties
from judge.verdicts import CaseResult, Diagnosis, Reason, Report, Verdict

__all__ = ["TextStyle", "to_text", "verdict_line", "wrapped"]

_SHOWN_FAILURES = 4
_SHOWN_ROWS = 12
_SHOWN_STEPS = 2
_FEW_CASES = 4
_SHOWN_OUTPUT = 20
_MORE_ADVICE = {"gentle": "clear", "clear": "explicit"}

_DEPENDS_ON_INPUT = frozenset(
    {Reason.VALUE, Reason.SHAPE, Reason.NON_FINITE, Reason.EXCEPTION, Reason.STATE}
)

_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN = "1", "2", "31", "32", "33", "36"


def to_text(report: Report, source: str | None = None, style: TextStyle | None = None) -> str:
    """Return a report for a terminal, ending in a newline.

    Args:
        report: already reduced to what its reader may see (`for_audience`).
        source: the submission's text, from which lines that failed are shown.
        style: width, colour and detail.
    """
    style = style or TextStyle()
    blocks = [
        [verdict_line(report, style)],
        *_failure_blocks(report, source, style),
        *(_diagnosis_block(finding, style) for finding in report.diagnosis),
        _printed(report, style),
        _table(report, style),
        _notes(report, style),
    ]
    if style.verbose:
        blocks.append(_provenance(report, style))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def verdict_line(report: Report, style: TextStyle | None = None) -> str:
    """Return the one line that says it all: verdict, file, cases, score, time, isolation."""
    style = style or TextStyle()
    indent = len(report.verdict) + 2
    parts = [
        report.verdict.meaning,
        middle_cut(writing.one_line(report.submission), style.columns - indent),
        f"{report.passed} of {writing.count(report.total, 'case')}",
        f"score {writing.points(report.score)}",
        writing.duration(report.time.wall_s),
        "not isolated" if missing_properties(report.isolation) else "isolated",
    ]
    lines = [parts[0]]
    for part in parts[1:]:
        if indent + len(lines[-1]) + 2 + len(part) <= style.columns:
            lines[-1] += f"  {part}"
        else:
            lines.append(part)
    verdict = style.paint(report.verdict, _BOLD, _colour(report.verdict))
    return f"{verdict}  " + f"\n{' ' * indent}".join(lines)


def _colour(verdict: Verdict) -> str:
    if verdict is Verdict.AC:
        return _GREEN
    return _YELLOW if verdict in (Verdict.JE, Verdict.NOT_RUN) else _RED


def _failure_blocks(report: Report, source: str | None, style: TextStyle) -> Iterator[list[str]]:
    found = failures(report) if style.verbose else leading(report)[:_SHOWN_FAILURES]
    told: set[str] = set()
    for failure in found:
        yield list(_failure_lines(failure, report, source, style, told))
    kind = words.kind_of_errors(report)
    if kind:
        yield wrapped(kind, 2, style)


def _failure_lines(
    failure: Failure, report: Report, source: str | None, style: TextStyle, told: set[str]
) -> Iterator[str]:
    """Tell one failure: which cases, what kind, numbers or message, the line, the advice."""
    case = failure.first
    heading = writing.one_line(failure.heading(report.total))
    kind = f"{case.verdict}, {words.title(case)}"
    first = f"{style.paint(heading, _BOLD)}   {style.paint(kind, _colour(case.verdict))}"
    if len(heading) + 5 + len(kind) <= style.columns:
        yield f"  {first}"
    else:
        yield f"  {style.paint(heading, _BOLD)}"
        yield f"      {style.paint(kind, _colour(case.verdict))}"
    if len(failure.cases) == 1 and style.shows.get(case.name):
        yield from (style.paint(line, _DIM) for line in wrapped(style.shows[case.name], 6, style))
    if case.error is not None and case.reason in (Reason.VALUE, Reason.STATE):
        yield from _difference(case, style)
    elif case.message and case.message != words.title(case):
        yield from wrapped(case.message, 6, style)
    if case.reason is Reason.NON_FINITE and case.error is not None:
        yield from wrapped(words.off_by(case.error), 6, style)
    yield from _source_lines(source, case.line, style)
    for step in words.outer_steps(case, None if style.verbose else _SHOWN_STEPS):
        yield style.paint(writing.shortened(f"      {step}", style.columns), _DIM)
    advice = words.advice(case)
    if advice and advice not in told:
        told.add(advice)
        yield from wrapped(advice, 6, style)
    if case.name in style.shows and case.reason in _DEPENDS_ON_INPUT:
        hint = wrapped(f"See it: judge show {case.name}", 6, style)
        yield from (style.paint(line, _DIM) for line in hint)


def _difference(case: CaseResult, style: TextStyle) -> Iterator[str]:
    """Show the worst element, both values under each other, and how much is off."""
    error = case.error
    if error is None:
        return
    expected, actual = writing.numbers(error.expected, error.actual)
    where = writing.place(error.index)
    if 6 + len(where) + 13 + max(len(expected), len(actual)) > style.columns:
        yield f"      {where}"
        where = ""
    yield f"      {where}   expected  {expected}"
    yield f"      {' ' * len(where)}        got  {style.paint(actual, _BOLD)}"
    yield from wrapped(words.off_by(error), 6, style)


def _source_lines(source: str | None, line: int | None, style: TextStyle) -> Iterator[str]:
    shown = excerpt(source, line)
    gutter = len(str(shown[-1].number)) if shown else 0
    for part in shown:
        text = writing.visible_line(part.text.expandtabs(8)).rstrip()
        marker = ">" if part.meant else " "
        row = f"    {marker} {part.number:>{gutter}} | {text}"
        row = writing.shortened(row, style.columns)
        yield style.paint(row, _BOLD) if part.meant else style.paint(row, _DIM)


def _diagnosis_block(finding: Diagnosis, style: TextStyle) -> list[str]:
    heading = f"Looks like: {finding.title}" if finding.evidence else finding.title
    lines = [f"  {style.paint(line, _BOLD, _CYAN)}" for line in pieces(heading, 2, style)]
    if finding.evidence is not None:
        cases = writing.count(finding.evidence.cases, "core case")
        lines += wrapped(
            f"Its outputs are those of this mistake on {cases} "
            f"(distance {writing.brief(finding.evidence.distance, 1)}).",
            6,
            style,
        )
    if finding.advice:
        lines += wrapped(finding.advice, 6, style)
    more = []
    if finding.evidence and style.advice in _MORE_ADVICE:
        more.append(f"Say more: --advice {_MORE_ADVICE[style.advice]}")
    if finding.counterexample:
        more.append(f"See it: judge show --counterexample {finding.counterexample}")
    lines += [style.paint(line, _DIM) for line in side_by_side(more, 6, style)]
    return lines


def _printed(report: Report, style: TextStyle) -> list[str]:
    """Show what the cases printed when they are few or on request; else say that they did."""
    talking = [case for case in report.cases if case.output]
    if not talking:
        return []
    if not style.verbose and report.total > _FEW_CASES:
        cases = writing.count(len(talking), "case")
        return wrapped(f"{cases} printed something; -v shows it, or --case NAME.", 2, style)
    lines = []
    for case in talking:
        printed = writing.visible(case.output.expandtabs(8)).splitlines()
        kept = printed if style.verbose else printed[:_SHOWN_OUTPUT]
        lines.append(f"  {style.paint(writing.one_line(case.name), _BOLD)} printed")
        lines += [style.paint("      | ", _DIM) + line for line in kept]
        if len(printed) > len(kept):
            lines.append(f"      … and {len(printed) - len(kept)} more lines; -v shows all")
    return lines


def _table(report: Report, style: TextStyle) -> list[str]:
    """List the cases: all when verbose, else those that failed; the others are summed up."""
    rows = [case for case in report.cases if style.verbose or case.verdict is not Verdict.AC]
    run = [case for case in rows if style.verbose or case.verdict is not Verdict.NOT_RUN]
    found = failures(report)
    told = len(found) == 1 and len(found[0].cases) in (1, report.total)
    lines: list[str] = []
    if run and (style.verbose or not told):
        limit = len(run) if style.verbose else _SHOWN_ROWS
        lines += _rows(run[:limit], style)
        if len(run) > limit:
            lines.append(f"  … and {len(run) - limit} more that failed; -v lists all")
    summary = list(_summary(report, style))
    return lines + ([""] if lines and summary else []) + summary


def _rows(cases: list[CaseResult], style: TextStyle) -> list[str]:
    name_width = max(len("case"), *(len(writing.one_line(case.name)) for case in cases))
    room = style.columns - 2
    with_time = room >= name_width + 10 + 20 + 12
    with_error = room >= name_width + 10 + 20
    if not with_error:
        name_width = min(name_width, room - 10)

    def row(name: str, verdict: str, error: str, time: str) -> str:
        text = f"  {middle_cut(name, name_width):<{name_width}}  {verdict:<8}"
        if with_error:
            text += f"{error:>18}"
        if with_time:
            text += f"{time:>11}"
        return text.rstrip()

    lines = [style.paint(row("case", "verdict", "error / tolerance", "time"), _DIM)]
    for case in cases:
        error = writing.brief(case.error.error_over_tolerance) if case.error else ""
        if not error and case.verdict is not Verdict.AC and case.reason is not None:
            error = words.title(case) if len(words.title(case)) <= 18 else case.reason
        time = writing.duration(case.time_s) if case.time_s else ""
        line = row(writing.one_line(case.name), case.verdict, error, time)
        name = min(name_width, len(line) - 4) + 4
        end = name + len(case.verdict)
        lines.append(line[:name] + style.paint(line[name:end], _colour(case.verdict)) + line[end:])
    return lines


def _summary(report: Report, style: TextStyle) -> Iterator[str]:
    """Sum up what the table leaves out: accepted by group, the largest error, not run."""
    passed = [case for case in report.cases if case.verdict is Verdict.AC]
    if passed:
        totals = Counter(case.group for case in report.cases)
        by_group = Counter(case.group for case in passed)
        groups = ", ".join(f"{name} {by_group[name]} of {totals[name]}" for name in totals)
        text = f"{writing.count(len(passed), 'case')} accepted ({groups})"
        errors = [float(case.error.error_over_tolerance) for case in passed if case.error]
        if errors and max(errors) > 0:
            text += f"; the largest error is {writing.brief(max(errors))} of the tolerance"
        yield from wrapped(f"{text}.", 2, style)
    skipped = [case for case in report.cases if case.verdict is Verdict.NOT_RUN]
    reasons = Counter(case.message.removeprefix("not run: ") for case in skipped)
    for message, number in reasons.items():
        text = f"{writing.count(number, 'case was', 'cases were')} not run"
        yield from wrapped(f"{text}: {message}" if message else f"{text}.", 2, style)


def _notes(report: Report, style: TextStyle) -> list[str]:
    return [line for note in report.notes for line in wrapped(f"Note: {note}", 2, style)]


def _provenance(report: Report, style: TextStyle) -> list[str]:
    lines = []
    for name, fact in words.provenance(report):
        first, *others = pieces(fact, 13, style) or [""]
        lines.append(f"  {style.paint(f'{name:<11}', _DIM)}{first}")
        lines += [f"{'':13}{other}" for other in others]
    return lines
