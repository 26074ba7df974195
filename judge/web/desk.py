"""The desk: takes what the store owes, hands it to an executor, and writes what comes of it.

The store says what is still owed; nothing that matters is kept here. Whatever was running when a
server ended, however it ended, is queued again by the next one.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field

import msgspec

from judge.batch.drive import ALLOWED_FAILURES, Work
from judge.batch.jobs import Job, Judged, Setting, decode_judged
from judge.batch.substitute import judge_error
from judge.problem import Problem
from judge.web.store import Status, Store, Stored
from judge.web.work import CaseEvent

NAME = "submission.py"
SAMPLES = "sample"

log = logging.getLogger("judge.web")

Listener = Callable[[str], None]
"""Called with a submission's id whenever something about it is new; from any thread."""


@dataclass
class Progress:
    """What is known of a submission while it runs: its cases so far, in the order they came."""

    cases: deque[CaseEvent] = field(default_factory=lambda: deque(maxlen=4096))


class Desk:
    """Hands out work until it is closed.

    Args:
        store: what is owed.
        problem: the bundle.
        setting: how submissions are judged.
        start: makes an executor; called again when one broke.
        workers: how many submissions may run at once.
        work: judges one job.
    """

    def __init__(
        self,
        store: Store,
        problem: Problem,
        setting: Setting,
        start: Callable[[], Executor],
        workers: int,
        work: Work,
    ) -> None:
        self._store = store
        self._problem = problem
        self._setting = setting
        self._start = start
        self._workers = workers
        self._work = work
        self._executor = start()
        self._running: dict[str, Future[bytes]] = {}
        self._clients: dict[str, str] = {}
        self._failures: defaultdict[str, int] = defaultdict(int)
        self._suspects: deque[str] = deque()
        self._progress: dict[str, Progress] = {}
        self._listeners: set[Listener] = set()
        self._wake = threading.Condition()
        self._draining = False
        self._thread = threading.Thread(target=self._hand_out, name="desk", daemon=True)
        store.give_back()
        self._thread.start()

    def wake(self) -> None:
        """Say that something was added to the store."""
        with self._wake:
            self._wake.notify()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a listener from now on; returns what ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def progress(self, identity: str) -> list[CaseEvent]:
        """Return the cases of a running submission that are done."""
        found = self._progress.get(identity)
        return list(found.cases) if found else []

    def on_event(self, event: CaseEvent) -> None:
        """Take a case's result from the pool."""
        progress = self._progress.get(event.id)
        if progress is not None:
            progress.cases.append(event)
            self._tell(event.id)

    def cancel(self, identity: str, client: str) -> bool:
        """Cancel a submission: at once for its owner; what runs ends by its own limits.

        Until then nothing else of the same client runs.
        """
        cancelled = self._store.cancel(identity, client)
        if cancelled:
            future = self._running.get(identity)
            if future is not None:
                future.cancel()
            self._tell(identity)
            self.wake()
        return cancelled

    @property
    def draining(self) -> bool:
        """Whether nothing more is handed out."""
        return self._draining

    def stop_handing_out(self) -> None:
        """Hand out nothing more from now on; waits for nothing, so that a signal may call it."""
        self._draining = True

    def drain(self, seconds: float) -> bool:
        """Hand out nothing more and wait for what runs; False when some of it took too long.

        What is left stays owed, and is judged after the next start.
        """
        with self._wake:
            self._draining = True
            self._wake.notify()
            done = self._wake.wait_for(lambda: not self._running, timeout=seconds)
        self._thread.join(timeout=seconds)
        self._executor.shutdown(wait=done, cancel_futures=True)
        return done

    def _hand_out(self) -> None:
        while True:
            with self._wake:
                while not self._draining and not self._try_next():
                    self._wake.wait(timeout=1.0)
                if self._draining:
                    return

    def _try_next(self) -> bool:
        """Start one submission; a fault of disk or executor is told, and tried again later."""
        try:
            stored = self._choose()
        except sqlite3.Error as error:
            log.error("store error", extra={"error": str(error)})  # noqa: TRY400
            return False
        if stored is None:
            return False
        try:
            self._hand(stored)
        except Exception as error:  # noqa: BLE001 (whatever it is, the submission stays owed)
            log.error("executor error", extra={"error": f"{type(error).__name__}: {error}"})  # noqa: TRY400
            self._store.give_back(stored.id)
            return False
        return True

    def _choose(self) -> Stored | None:
        """Return what comes next.

        Of those that ran when the executor broke, one broke it: each is tried again alone, so that
        the one that does it every time takes nobody with it.
        """
        while self._suspects and not self._running:
            stored = self._store.start(self._suspects.popleft())
            if stored is not None:
                return stored
        alone = any(identity in self._failures for identity in self._running)
        if self._suspects or alone or len(self._running) >= self._workers:
            return None
        return self._store.next_owed(set(self._clients.values()))

    def _hand(self, stored: Stored) -> None:
        """Give a submission to the executor, to a new one where that broke."""
        group = SAMPLES if stored.samples_only else ""
        job = Job(stored.id, NAME, stored.source or b"", group)
        self._progress[stored.id] = Progress()
        try:
            future = self._executor.submit(self._work, self._setting, job)
        except BrokenExecutor:
            self._executor = self._start()
            future = self._executor.submit(self._work, self._setting, job)
        self._running[stored.id] = future
        self._clients[stored.id] = stored.client
        future.add_done_callback(lambda done: self._done(stored, job, done))
        self._tell(stored.id)

    def _done(self, stored: Stored, job: Job, future: Future[bytes]) -> None:
        try:
            judged = self._result(stored, job, future)
            if judged is not None:
                self._finish(stored, judged)
        except sqlite3.Error as error:
            # It stays "running" in the store, and is judged again after the next start.
            log.error("store error", extra={"submission": stored.id, "error": str(error)})  # noqa: TRY400
        with self._wake:
            self._running.pop(stored.id, None)
            self._clients.pop(stored.id, None)
            self._progress.pop(stored.id, None)
            self._wake.notify_all()
        self._tell(stored.id)

    def _finish(self, stored: Stored, judged: Judged) -> None:
        report = judged.report
        verdict, result = str(report.verdict), msgspec.msgpack.encode(judged)
        self._failures.pop(stored.id, None)
        if self._store.finish(stored.id, self._setting.bundle, verdict, report.score, result):
            log.info("judged", extra={"submission": stored.id, "verdict": verdict})

    def _result(self, stored: Stored, job: Job, future: Future[bytes]) -> Judged | None:
        """Return what came of a submission; None where it was cancelled or is queued again."""
        if future.cancelled():
            # By its owner, and then the store knows; or with the executor, and then it is owed.
            self._store.give_back(stored.id)
            return None
        error = future.exception()
        if error is None:
            return decode_judged(future.result())
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, BrokenExecutor):
            self._failures[stored.id] += 1
            if self._failures[stored.id] < ALLOWED_FAILURES:
                with self._wake:
                    if self._store.give_back(stored.id):
                        self._suspects.append(stored.id)
                return None
            why = f"the process that judged it died {ALLOWED_FAILURES} times"
        log.error("judge error", extra={"submission": stored.id, "error": why})
        return judge_error(self._problem, job, why)

    def _tell(self, identity: str) -> None:
        for listener in tuple(self._listeners):
            listener(identity)


def is_over(status: Status) -> bool:
    """Tell whether nothing more will come of a submission by itself."""
    return status in (Status.DONE, Status.CANCELLED)
