"""Hand submissions to an executor, a bounded number at a time, and take results as they come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass

from judge.batch.collect import Found
from judge.batch.jobs import Job, Judged, Setting, WeakIsolationError, decode_judged, judge_job
from judge.batch.substitute import judge_error, unreadable
from judge.faults import BundleError
from judge.problem import Problem

ALLOWED_FAILURES = 3
"""So often may the process that judges a submission die before the submission is given up."""

Work = Callable[[Setting, Job], bytes]


@dataclass(frozen=True)
class Drive:
    """How a batch is judged.

    Args:
        problem: the bundle, for the reports of what could not be judged.
        setting: how each submission is judged.
        start: makes an executor; called again when one broke.
        window: how many submissions may be under way: the memory that a batch takes does not grow
            with its length.
        work: judges one job; another function for workers that hold the bundle elsewhere.
    """

    problem: Problem
    setting: Setting
    start: Callable[[], Executor]
    window: int
    work: Work = judge_job

    def judge(self, submissions: Iterable[Found]) -> Iterator[tuple[Found, Judged]]:
        """Yield each submission with what came of it, in the order in which they are done.

        Raises:
            BundleError: the bundle is broken where it is judged.
            WeakIsolationError: a property is not proved where it is judged.
        """
        crew = _Crew(self)
        try:
            yield from crew.judge(iter(submissions))
        finally:
            crew.stop()


@dataclass
class _Task:
    found: Found
    job: Job
    failures: int = 0


class _Crew:
    """One executor at a time, and what is under way in it."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._executor = drive.start()
        self._under_way: dict[Future[bytes], _Task] = {}

    def judge(self, submissions: Iterator[Found]) -> Iterator[tuple[Found, Judged]]:
        drive = self._drive
        again: list[_Task] = []
        exhausted = False
        while True:
            if again and not self._under_way:
                # One of those under way broke the executor: each is tried alone, so that the one
                # that does it every time takes nobody with it.
                self._submit(again.pop())
            while not again and not exhausted and len(self._under_way) < drive.window:
                found = next(submissions, None)
                if found is None:
                    exhausted = True
                    break
                try:
                    source = found.read(drive.problem.limits.code * 1024)
                except OSError as error:
                    yield found, unreadable(drive.problem, found.path, str(error))
                    continue
                self._submit(_Task(found, Job(found.id, found.path, source)))
            if not self._under_way and not again:
                return
            done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
            for future in done:
                task = self._under_way.pop(future)
                result = self._result(future, task)
                if result is None:
                    again.append(task)
                else:
                    yield task.found, result

    def stop(self) -> None:
        """Give up what has not begun, and wait for what has."""
        with contextlib.suppress(Exception):
            self._executor.shutdown(wait=True, cancel_futures=True)

    def _submit(self, task: _Task) -> None:
        try:
            future = self._executor.submit(self._drive.work, self._drive.setting, task.job)
        except BrokenExecutor:
            self._replace_executor()
            future = self._executor.submit(self._drive.work, self._drive.setting, task.job)
        self._under_way[future] = task

    def _result(self, future: Future[bytes], task: _Task) -> Judged | None:
        """Return what came of a task; None when it has to be tried again."""
        try:
            return decode_judged(future.result())
        except (BundleError, WeakIsolationError):
            raise
        except BrokenExecutor:
            task.failures += 1
            if task.failures < ALLOWED_FAILURES:
                return None
            why = f"the process that judged it died {ALLOWED_FAILURES} times"
        except Exception as error:  # noqa: BLE001 (whatever it is, it is the judge's fault)
            why = f"{type(error).__name__}: {error}"
        return judge_error(self._drive.problem, task.job, why)

    def _replace_executor(self) -> None:
        with contextlib.suppress(Exception):
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._drive.start()
