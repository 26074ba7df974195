"""What runs in the pool's processes: a judgement that tells of each case as it comes."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing.connection import Connection

import msgspec

from judge.batch.jobs import Job, Setting, judge_job
from judge.batch.pool import prepare_process
from judge.verdicts import CaseResult, Verdict


class CaseEvent(msgspec.Struct, frozen=True):
    """One case of a running submission is done: which, and how."""

    id: str
    case: str
    group: str
    verdict: Verdict


OnEvent = Callable[[CaseEvent], None]


class EventPipe:
    """A pipe from the pool's processes to a thread of this one.

    An event is one write of less than PIPE_BUF bytes, so that those of several processes never mix
    and a process that is killed leaves no lock behind (pipe(7)).
    """

    def __init__(self) -> None:
        self._reader, self.writer = multiprocessing.get_context("spawn").Pipe(duplex=False)
        self._thread: threading.Thread | None = None

    def start(self, on_event: OnEvent) -> None:
        """Call a function with every event, in a thread of its own, until the end."""
        self._thread = threading.Thread(
            target=self._read, args=(on_event,), name="case-events", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self.writer.send_bytes(b"")
            self._thread.join()
        self.writer.close()
        self._reader.close()

    def _read(self, on_event: OnEvent) -> None:
        while data := self._reader.recv_bytes():
            on_event(msgspec.msgpack.decode(data, type=CaseEvent))


def event_pool(workers: int, pipe: EventPipe) -> Executor:
    """Return a pool of zygotes whose processes tell of cases through a pipe."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        workers, mp_context=context, initializer=_start, initargs=(pipe.writer,)
    )


def judge_with_events(setting: Setting, job: Job) -> bytes:
    """Judge a job and tell of each case; see `judge_job`."""

    def tell(case: CaseResult) -> None:
        event = CaseEvent(job.id, case.name, case.group, case.verdict)
        if _writer is not None:
            # A server that is gone hears nothing; the result goes nowhere either.
            with contextlib.suppress(OSError):
                _writer.send_bytes(msgspec.msgpack.encode(event))

    return judge_job(setting, job, tell)


_writer: Connection | None = None


def _start(writer: Connection) -> None:
    global _writer  # noqa: PLW0603 (what a pool's initializer is for)
    prepare_process()
    _writer = writer
