"""A line on the terminal that tells how far judging is, for anything that takes over a second."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

from judge.verdicts import Verdict

if TYPE_CHECKING:
    from judge.verdicts import CaseResult

_PATIENCE_S = 1.0
_INTERVAL_S = 0.2
_ERASE = "\r\x1b[K"


class Progress:
    """Writes to standard error, only where that is a terminal, and leaves nothing behind.

    A thread of its own writes it, so that the time goes on while one case hangs.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._failed = 0
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if sys.stderr is not None and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def on_case(self, case: CaseResult) -> None:
        """Count a case."""
        self._done += 1
        self._failed += case.verdict not in (Verdict.AC, Verdict.NOT_RUN)

    def _show(self) -> None:
        if self._over.wait(_PATIENCE_S):
            return
        while not self._over.wait(_INTERVAL_S):
            seconds = time.monotonic() - self._began
            failed = f", {self._failed} failed" if self._failed else ""
            line = f"{self._done} of {self._total} cases{failed}, {seconds:.0f} s"
            sys.stderr.write(f"{_ERASE}{line}")
            sys.stderr.flush()
        sys.stderr.write(_ERASE)
        sys.stderr.flush()
