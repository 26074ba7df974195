"""What no judge here can be faster than: the submissions' own work, and what a second core adds."""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import subprocess
import sys
import types
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.contestants import seconds
from judge.problem import Problem
from judge.testcases import load_cases

_SPIN = "sum(i * i for i in range(1_000_000))"


class Bounds(NamedTuple):
    """What bounds a batch.

    Args:
        own_ms: milliseconds that loading and calling an accepted submission takes by itself, mean.
        gain: how many times the work of one core this machine's usable cores do together.
    """

    own_ms: float
    gain: float

    @property
    def rate(self) -> float:
        """Submissions a second, were nothing else to be done."""
        return 1000.0 / self.own_ms * self.gain


def bounds(problem: Problem, sources: Sequence[str], rounds: int = 3) -> Bounds:
    """Measure them.

    Args:
        problem: the bundle whose cases are called.
        sources: the submissions.
        rounds: how often each is timed; the median counts.
    """
    return Bounds(own_ms(problem, sources, rounds), gain(rounds))


def own_ms(problem: Problem, sources: Sequence[str], rounds: int) -> float:
    """Return what loading and calling takes in this process, without any judging, mean."""
    cases = load_cases(problem)
    found = []
    for source in sources:
        times = [_seconds_of(source, problem.function.name, cases) for _ in range(rounds)]
        found.append(statistics.median(times) * 1e3)
    return statistics.mean(found)


def _seconds_of(source: str, function: str, cases: Sequence[object]) -> float:
    # Submissions may change their arguments; making copies is the caller's work, and not timed.
    arguments = [
        [value.copy() if hasattr(value, "copy") else value for value in case.inputs]  # type: ignore[attr-defined]
        for case in cases
    ]

    def all_calls() -> None:
        module = types.ModuleType("submission")
        sys.modules["submission"] = module
        exec(compile(source.removeprefix("\ufeff"), "submission.py", "exec"), vars(module))
        call = vars(module)[function]
        for given in arguments:
            call(*given)

    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        return seconds(all_calls)


def gain(rounds: int) -> float:
    """Return how much more is done by one busy process a core than by one alone, median."""
    cores = len(os.sched_getaffinity(0))
    found = []
    for _ in range(max(rounds, 3)):
        alone, together = _spin(1), _spin(cores)
        found.append(cores * alone / together)
    return statistics.median(found)


def _spin(count: int) -> float:
    command = [sys.executable, "-I", "-S", "-c", f"for _ in range(5): {_SPIN}"]

    def all_at_once() -> None:
        running = [subprocess.Popen(command) for _ in range(count)]
        for process in running:
            process.wait()

    return seconds(all_at_once)
