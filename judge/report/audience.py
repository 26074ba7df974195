"""What of a report each audience may see: authors everything, learners nothing that leaks a case.

A verdict for each secret case is one bit that leaks, and the line of an exception a few more; both
are wanted. Everything else that a submission could fill with what it was given is left out.
"""

from __future__ import annotations

import builtins
import enum
from collections.abc import Collection

import msgspec

from judge.report.words import WORDS
from judge.verdicts import CaseResult, Diagnosis, Evidence, Reason, Report, Timing, Verdict

PUBLIC_GROUPS = frozenset({"sample"})
"""Groups whose inputs and answers are published."""

_MEMORY_STEP = 16 << 20
_TIME_DIGITS = 1
_OWN_EXCEPTION = "an exception type of its own"

# A submission can name an exception after what it was given, so only well-known names are told.
_KNOWN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
) | {
    "numpy.exceptions.AxisError",
    "numpy.linalg.LinAlgError",
    "numpy._core._exceptions._ArrayMemoryError",
    "numpy._core._exceptions._UFuncBinaryResolutionError",
    "numpy._core._exceptions._UFuncInputCastingError",
    "numpy._core._exceptions._UFuncNoLoopError",
    "numpy._core._exceptions._UFuncOutputCastingError",
    "numpy.core._exceptions._ArrayMemoryError",
    "numpy.core._exceptions._UFuncBinaryResolutionError",
    "numpy.core._exceptions._UFuncInputCastingError",
    "numpy.core._exceptions._UFuncNoLoopError",
    "numpy.core._exceptions._UFuncOutputCastingError",
}

# Their messages are made of the limits alone: the judge stopped the submission, or never ran it.
_MADE_OF_LIMITS = frozenset(
    {
        Reason.IMPORT_TIME,
        Reason.CALL_TIME,
        Reason.TOTAL_TIME,
        Reason.OUTPUT,
        Reason.TIME_OUTS,
        Reason.STOPPED,
        Reason.JUDGE,
    }
)


class Audience(enum.StrEnum):
    """Who reads a report."""

    AUTHOR = "author"
    LEARNER = "learner"


def for_audience(
    report: Report,
    audience: Audience | str,
    samples: Collection[str] = PUBLIC_GROUPS,
    *,
    lines: int | None = None,
) -> Report:
    """Return a report without what its audience may not see.

    Args:
        report: the whole report.
        audience: an author sees everything; a learner of a secret case sees the verdict, the
            reason, a well-known exception's type and the submission's line.
        samples: names of the groups whose cases are published.
        lines: number of lines of the submission; a line number beyond it, which only a forged
            reply has, is left out.

    Returns:
        The same report for an author, a reduced copy for a learner: times in tenths of a second and
        memory in steps of 16 MiB, because a submission can spend both as the inputs tell it to; and
        no seed, which makes the fresh cases.
    """
    if Audience(audience) is Audience.AUTHOR:
        return report
    cases = [case if case.group in samples else _secret(case, lines) for case in report.cases]
    return msgspec.structs.replace(
        report,
        cases=cases,
        diagnosis=[_coarse(finding) for finding in report.diagnosis],
        provenance=msgspec.structs.replace(report.provenance, seed=None),
        time=Timing(
            *(round(value, _TIME_DIGITS) for value in msgspec.structs.astuple(report.time))
        ),
        peak_memory_bytes=-(-report.peak_memory_bytes // _MEMORY_STEP) * _MEMORY_STEP,
    )


def _secret(case: CaseResult, lines: int | None) -> CaseResult:
    """Keep of a secret case what no input can have got into."""
    # A file is loaded before it is given anything, so what went wrong then holds no data.
    loading = case.verdict is Verdict.CE
    told = loading or case.reason in _MADE_OF_LIMITS
    exception = case.exception
    if exception is not None and exception not in _KNOWN_EXCEPTIONS:
        exception = _OWN_EXCEPTION
    line = case.line
    if line is not None and lines is not None and not 1 <= line <= lines:
        line = None
    return CaseResult(
        name=case.name,
        group=case.group,
        verdict=case.verdict,
        reason=case.reason,
        message=case.message if told else _message(case.reason, exception, line),
        exception=case.exception if loading else exception,
        line=line,
        traceback=case.traceback if loading else [],
    )


def _message(reason: Reason | None, exception: str | None, line: int | None) -> str:
    """Say what is wrong by the reason alone."""
    if reason is None:
        return ""
    if reason is Reason.EXCEPTION and exception:
        return f"raised {exception}{f' in line {line}' if line else ''}"
    return WORDS[reason].title


def _coarse(finding: Diagnosis) -> Diagnosis:
    """Round the distance: its digits would tell about the answers of secret cases."""
    if finding.evidence is None:
        return finding
    evidence = Evidence(finding.evidence.cases, float(f"{finding.evidence.distance:.0e}"))
    return msgspec.structs.replace(finding, evidence=evidence)
