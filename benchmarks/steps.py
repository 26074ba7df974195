"""Where the time of a warm verdict goes, seen from the judge, and the kernel's part of it."""

from __future__ import annotations

import mmap
import os
import re
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple
from unittest.mock import patch

from judge.problem import Problem
from judge.runner import Judge
from judge.sandbox.process import Sandbox
from judge.sandbox.session import Session

_PAGES = 4000

_COUNTS = """
import resource as _resource
_function = {function}
def {function}(*arguments):
    result = _function(*arguments)
    print("faults", _resource.getrusage(_resource.RUSAGE_SELF).ru_minflt)
    return result
"""


class Steps(NamedTuple):
    """What a warm verdict is made of.

    Args:
        ms: median milliseconds of each step, by name; the last is what the others leave.
        faults: pages that a worker had to get for itself, by copying or mapping, until its last
            call (`ru_minflt` in getrusage(2)).
        fault_us: microseconds that copying one page takes on this machine.
    """

    ms: dict[str, float]
    faults: int
    fault_us: float


def steps(problem: Problem, source: bytes, rounds: int) -> Steps:
    """Measure them.

    Args:
        problem: a bundle of small cases.
        source: an accepted submission.
        rounds: how many verdicts.
    """
    with Judge(problem) as judge:
        for _ in range(5):
            judge.run(source)
        faults = _faults(judge, source)
        return Steps(_steps(judge, source, rounds), faults, fault_us())


def _faults(judge: Judge, source: bytes) -> int:
    counting = source + _COUNTS.format(function=judge.problem.function.name).encode()
    report = judge.run(counting)
    return max(int(n) for case in report.cases for n in re.findall(r"faults (\d+)", case.output))


def _steps(judge: Judge, source: bytes, rounds: int) -> dict[str, float]:
    spent: dict[str, list[float]] = {}

    def timed(name: str, action: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return action(*arguments, **options)
            finally:
                spent[name][-1] += (time.perf_counter() - start) * 1e3

        return call

    parts = {
        "forking a worker": (Sandbox, "spawn"),
        "its layers, and importing the submission": (Session, "load"),
        "the calls": (Session, "call"),
        "ending the worker, and what it used": (Session, "end"),
    }
    rest = []
    with ExitStack() as stack:
        for name, (owner, method) in parts.items():
            spent[name] = []
            action = timed(name, getattr(owner, method))
            stack.enter_context(
                patch.object(owner, method, lambda *a, _do=action, **k: _do(*a, **k))
            )
        for _ in range(rounds):
            for times in spent.values():
                times.append(0.0)
            start = time.perf_counter()
            judge.run(source)
            whole = (time.perf_counter() - start) * 1e3
            rest.append(whole - sum(times[-1] for times in spent.values()))
    found = {name: statistics.median(times) for name, times in spent.items()}
    return found | {"comparing and the report": statistics.median(rest)}


def fault_us() -> float:
    """Return microseconds of a page fault that copies a page after fork(2), median of five."""
    size = mmap.PAGESIZE
    memory = mmap.mmap(-1, _PAGES * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for page in range(_PAGES):
        memory[page * size] = 1
    return statistics.median(_copies_us(memory) for _ in range(5))


def _copies_us(memory: mmap.mmap) -> float:
    """Write to every page in a child, and once more, which tells what writing itself takes."""
    size = mmap.PAGESIZE
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        times = []
        for _ in range(2):
            start = time.perf_counter()
            for page in range(_PAGES):
                memory[page * size] = 2
            times.append(time.perf_counter() - start)
        os.write(writing, repr((times[0] - times[1]) / _PAGES * 1e6).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with os.fdopen(reading) as pipe:
        return float(pipe.read())
