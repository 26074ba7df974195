"""A whole batch: what is still owed, results as they come, borderline time-outs once more."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from judge.batch.collect import Found
from judge.batch.drive import Drive
from judge.batch.jobs import Judged
from judge.batch.results import Result, ResultFile, read_results
from judge.batch.rows import Row, page_name, row_of
from judge.verdicts import Verdict

AGAIN_NOTE = "this submission timed out among others, and was run once more alone"

OnRow = Callable[[Row], None]


@dataclass
class Batch:
    """Judges submissions and writes each result as it comes.

    Args:
        drive: how they are judged.
        output: the JSON Lines file.
        feedback: folder for one learner's page a submission, if wanted.
        resume: whether results in `output` for the same person, bundle and source count.
        kept: how many counted, after `run`.
        titles: title of every explanation by id, after `run`.
    """

    drive: Drive
    output: Path
    feedback: Path | None = None
    resume: bool = False
    kept: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    _rows: dict[str, Row] = field(default_factory=dict)
    _done: set[tuple[str, str, str]] = field(default_factory=set)

    def run(self, submissions: Sequence[Found], on_row: OnRow) -> list[Row]:
        """Judge what is owed.

        Args:
            submissions: all of the batch.
            on_row: called for every submission as it is done, those kept from before included.

        Returns:
            One row a submission, in their order.

        Raises:
            OSError: a file can't be written.
            ValueError: `output` holds something else than results.
            BundleError, WeakIsolationError: see `Drive.judge`.
        """
        if self.resume and self.output.exists():
            self._read_done({found.id for found in submissions})
        with ResultFile(self.output) as file:
            for found, judged in self.drive.judge(self._owed(submissions, on_row)):
                self._keep(file, found, judged, on_row)
            self._run_again(file, submissions)
        return [self._rows[found.id] for found in submissions if found.id in self._rows]

    def _read_done(self, wanted: set[str]) -> None:
        for result in read_results(self.output):
            # A judge's fault is no result: whatever it was may be gone.
            if result.id in wanted and result.report.verdict is not Verdict.JE:
                self._done.add(result.key)
                self._note(result)

    def _owed(self, submissions: Iterable[Found], on_row: OnRow) -> Iterator[Found]:
        bundle, most = self.drive.setting.bundle, self.drive.problem.limits.code * 1024
        for found in submissions:
            if self._done and found.id in self._rows:
                try:
                    digest = hashlib.sha256(found.read(most)).hexdigest()
                except OSError:
                    digest = ""
                if (found.id, bundle, f"sha256:{digest}") in self._done:
                    self.kept += 1
                    on_row(self._rows[found.id])
                    continue
            yield found

    def _keep(self, file: ResultFile, found: Found, judged: Judged, on_row: OnRow | None) -> None:
        result = Result(id=found.id, path=found.path, report=judged.report)
        if self.feedback is not None and judged.page:
            (self.feedback / page_name(found.id)).write_bytes(judged.page)
        file.append(result)
        row = self._note(result)
        if on_row:
            on_row(row)

    def _note(self, result: Result) -> Row:
        row = self._rows[result.id] = row_of(result)
        for finding in result.report.diagnosis:
            # The title of a pair names both; each has its own where it was found alone.
            if "+" not in finding.id:
                self.titles.setdefault(finding.id, finding.title)
        return row

    def _run_again(self, file: ResultFile, submissions: Sequence[Found]) -> None:
        """Run borderline time-outs once more, one at a time; the second result counts."""
        again = [f for f in submissions if f.id in self._rows and self._rows[f.id].borderline]
        alone = replace(self.drive, window=1)
        for found, judged in alone.judge(again) if again else ():
            report = judged.report
            noted = msgspec.structs.replace(report, notes=[*report.notes, AGAIN_NOTE])
            self._keep(file, found, Judged(noted, judged.page), None)
