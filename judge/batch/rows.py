"""What is kept of each submission of a batch: a few numbers, so that ten thousand fit in memory."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import IO

import msgspec

from judge.batch.results import Result
from judge.verdicts import Reason, Verdict

COLUMNS = ("id", "path", "verdict", "score", "passed", "total", "diagnosis", "time_s")


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One submission in a summary.

    Args:
        id: whose it is.
        path: where it was found.
        verdict: the whole verdict.
        score: its score.
        passed: cases accepted.
        total: cases judged.
        seconds: wall time of judging it.
        mistakes: ids of the explanations.
        failed: numbers of the cases that failed, in manifest order, as a bit set.
        why: the first failing case's message, shortened; for a file that can't be loaded.
        borderline: timed out, but not in every call that it made.
    """

    id: str
    path: str
    verdict: str
    score: float
    passed: int
    total: int
    seconds: float
    mistakes: str
    failed: int
    why: str
    borderline: bool

    @property
    def mistake_ids(self) -> list[str]:
        """Ids of single mistakes; a pair counts for both."""
        return [part for name in self.mistakes.split() for part in name.split("+")]


def row_of(result: Result) -> Row:
    """Return what a summary keeps of a result."""
    report = result.report
    failed = sum(
        1 << number
        for number, case in enumerate(report.cases)
        if case.verdict not in (Verdict.AC, Verdict.NOT_RUN)
    )
    first = next((c for c in report.cases if c.verdict not in (Verdict.AC, Verdict.NOT_RUN)), None)
    loading = first is not None and report.verdict in (Verdict.CE, Verdict.JE)
    return Row(
        id=result.id,
        path=result.path,
        verdict=str(report.verdict),
        score=report.score,
        passed=report.passed,
        total=report.total,
        seconds=report.time.wall_s,
        mistakes=" ".join(finding.id for finding in report.diagnosis),
        failed=failed,
        why=first.message[:200] if first is not None and loading else "",
        borderline=_borderline(result),
    )


def _borderline(result: Result) -> bool:
    """Tell whether a time-out may be the machine's: it happened, but not in every call made."""
    slow = [c for c in result.report.cases if c.verdict is Verdict.TLE]
    called = [c for c in result.report.cases if c.verdict is not Verdict.NOT_RUN]
    return bool(slow) and len(slow) < len(called) and slow[0].reason is not Reason.IMPORT_TIME


def changed_verdicts(old: Mapping[str, str], rows: Iterable[Row]) -> list[tuple[str, str, str]]:
    """Return id, old verdict and new one of everybody whose verdict is another."""
    return [
        (row.id, old[row.id], row.verdict)
        for row in rows
        if row.id in old and old[row.id] != row.verdict
    ]


def write_csv(file: IO[str], rows: Sequence[Row]) -> None:
    """Write one line a submission, for a spreadsheet.

    A cell that a spreadsheet would take for a formula gets an apostrophe before it: ids and paths
    come from whoever handed in.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        numbers = (f"{row.score:.4f}", row.passed, row.total)
        texts = [_harmless(text) for text in (row.id, row.path, row.verdict)]
        writer.writerow([*texts, *numbers, _harmless(row.mistakes), f"{row.seconds:.3f}"])


def page_name(identity: str) -> str:
    """Return the file name of a person's page: the plain characters of the id, and a digest.

    The digest keeps apart ids that differ in other characters alone, or in case, which some file
    systems ignore; no id reaches out of the folder.
    """
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in identity)
    plain = plain.strip("-")[:80]
    if plain == identity.lower():
        return f"{plain}.html"
    return f"{plain or 'submission'}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}.html"


def missing_from(roster: Iterable[str], rows: Iterable[Row]) -> list[str]:
    """Return who is on the roster and handed in nothing."""
    present = {row.id for row in rows}
    return [name for name in roster if name not in present]


def _harmless(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
