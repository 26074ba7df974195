"""The file of results: JSON Lines, one submission a line, appended and flushed as they come.

A line is written in one call, so that a kill at any moment leaves whole lines and at most one torn
one at the end, which is cut off when the file is opened again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from judge.verdicts import Report

RESULT_FORMAT = 1


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One line: whose submission, where it was found, and its whole report.

    Args:
        format: `RESULT_FORMAT`.
        id: whose submission.
        path: where it was found.
        report: as `judge run --format json` prints it; its provenance has both digests.
    """

    format: int = RESULT_FORMAT
    id: str
    path: str
    report: Report

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes a result final: the same person, bundle and source."""
        return self.id, self.report.provenance.bundle, self.report.provenance.source


class ResultFile:
    """Appends results to a JSON Lines file.

    Args:
        path: the file; it is made when missing.

    Raises:
        OSError: it can't be written.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._cut_torn_line()

    def append(self, result: Result) -> None:
        """Write one line, whole."""
        data = memoryview(msgspec.json.encode(result) + b"\n")
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def __enter__(self) -> ResultFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _cut_torn_line(self) -> None:
        size = os.fstat(self._descriptor).st_size
        end = size
        while end:
            start = max(0, end - 65536)
            last = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            if last >= 0:
                end = start + last + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._descriptor, end)


def read_results(path: Path) -> Iterator[Result]:
    """Yield the results of a file, one at a time; a torn last line is passed over.

    Raises:
        OSError: it can't be read.
        ValueError: a line is no result; the message says which.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                result = msgspec.json.decode(line, type=Result)
            except msgspec.DecodeError as error:
                raise ValueError(f"{path}, line {number}: no result of a batch: {error}") from None
            if result.format != RESULT_FORMAT:
                raise ValueError(
                    f"{path}, line {number}: format {result.format}, this judge reads format "
                    f"{RESULT_FORMAT}"
                )
            yield result
