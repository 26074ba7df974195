"""Judge submissions: the Python API.

problem = Problem.load("path/to/bundle")
with Judge(problem) as judge:
    report = judge.run(Path("my_solution.py"))
    print(report.verdict, report.score)
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from judge import __version__
from judge.arrays import Array
from judge.attempt import Attempt, Usage
from judge.bundle import answer_files
from judge.calls import CallOutcome, make_calls
from judge.prepared import Prepared
from judge.problem import Problem, bundle_digest
from judge.sandbox.process import Boot, Sandbox, SandboxError
from judge.sandbox.selftest import PROPERTIES, Proof, prove
from judge.source import read_source
from judge.testcases import TestCase, load_cases
from judge.verdicts import (
    CaseResult,
    Isolation,
    Provenance,
    Report,
    Timing,
    Verdict,
    overall,
    score,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Source = str | bytes | Path
"""A submission: its text, its bytes, or the path of its file."""


class Execution(msgspec.Struct, frozen=True, dict=True):
    """A report with what the submission returned.

    Args:
        report: the verdicts.
        results: for each case that gave a result of the right dtype and shape, that array.
        source: the submission's bytes.
    """

    report: Report
    results: dict[str, Array]
    source: bytes

    @functools.cached_property
    def outputs(self) -> dict[str, NDArray[np.generic]]:
        """The results as NumPy arrays, made when they are first asked for."""
        return {name: array.numpy() for name, array in self.results.items()}


class Judge:
    """Judges submissions to one problem, one after another; holds a sandbox until it is closed.

    It is a context manager. Several may work at once, in one process or many; one `Judge` used from
    several threads takes their submissions in turn.

    Args:
        problem: the bundle.
        cases: the cases to judge on; all of the bundle's when None.
        time_scale: factor on every time limit, for slow machines.
        layers_off: names of isolation layers to leave out, for tests and for measuring.
        sandbox: a sandbox that was started earlier, which this judge then closes.

    Raises:
        BundleError: the bundle's cases are missing or broken.
        SandboxError: no process could be started.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        cases: Sequence[TestCase] | None = None,
        time_scale: float = 1.0,
        layers_off: frozenset[str] = frozenset(),
        sandbox: Sandbox | None = None,
    ) -> None:
        self.problem = problem
        self.time_scale = time_scale
        self._lock = threading.Lock()
        self._taken_by: int | None = None
        self._boot_reported = False
        self._proof: Proof | None = None
        # First, so that it boots, and is put to the test, while the cases are read.
        self._sandbox = sandbox or Sandbox(layers_off)
        self._proving = threading.Thread(target=self._prove_early, daemon=True)
        self._proving.start()
        try:
            self.cases = load_cases(problem) if cases is None else list(cases)
        except BaseException:
            self.close()
            raise
        self._prepared = self._pack(self.cases)
        self._bundle = bundle_digest(problem.folder)

    @property
    def isolation(self) -> Isolation:
        """What the self-test proved, and the state of each layer; raises SandboxError."""
        return self.proof.isolation

    @property
    def proof(self) -> Proof:
        """What the self-test found, tried once before the first submission; raises SandboxError."""
        self._proving.join()
        if self._proof is None:
            self._proof = self._prove()
        return self._proof

    def _prove_early(self) -> None:
        # Whoever needs the proof meets the same failure.
        with contextlib.suppress(Exception):
            self._proof = self._prove()

    def _prove(self) -> Proof:
        if self._sandbox.forks:
            return prove(self._sandbox, answer_files(self.problem.folder))
        layers = dict(self._sandbox.boot.layers)
        why = "nothing isolates submissions here: that needs Linux"
        return Proof(Isolation([], layers), {name: [why] for name in PROPERTIES})

    def run(
        self,
        source: Source,
        *,
        name: str | None = None,
        cases: Sequence[TestCase] | None = None,
        fail_fast: bool = False,
        on_case: Callable[[CaseResult], None] | None = None,
        seed: int | None = None,
    ) -> Report:
        """Judge a submission.

        Args:
            source: its text, bytes, or file.
            name: what the report calls it; by default the file's name.
            cases: judge on these instead of the judge's own, in this order.
            fail_fast: stop after the first case that is not accepted.
            on_case: called with each case's result as it comes, in no particular order.
            seed: the seed of fresh cases, for the report.

        Raises:
            OSError: the file is missing, a folder, or unreadable.
        """
        execution = self.execute(
            source, name=name, cases=cases, fail_fast=fail_fast, on_case=on_case, seed=seed
        )
        return execution.report

    def iterate(
        self,
        source: Source,
        *,
        cases: Sequence[TestCase] | None = None,
        fail_fast: bool = False,
    ) -> Iterator[CaseResult]:
        """Judge a submission and yield each case's result as it comes, in no particular order.

        Args and errors are those of `run`. A run that is left before its end is ended.
        """
        data = self._read(source)
        with self._turn():
            yield from self._attempt(data, cases, fail_fast=fail_fast, ahead=False).results()

    def execute(
        self,
        source: Source,
        *,
        name: str | None = None,
        cases: Sequence[TestCase] | None = None,
        fail_fast: bool = False,
        on_case: Callable[[CaseResult], None] | None = None,
        seed: int | None = None,
    ) -> Execution:
        """Judge a submission and return what it returned beside the report; see `run`."""
        data = self._read(source)
        with self._turn():
            start = time.monotonic()
            attempt = self._attempt(data, cases, fail_fast=fail_fast)
            results = []
            # Closed, so that an exception of on_case or Ctrl-C ends the worker at once.
            with contextlib.closing(attempt.results()) as coming:
                for result in coming:
                    results.append(result)
                    if on_case:
                        on_case(result)
            report = self._report(attempt, results, _name_of(source, name), start, seed)
        return Execution(report, attempt.outputs, data)

    def call(
        self,
        source: bytes,
        function: str,
        arguments: Sequence[Sequence[Any]],
        *,
        seconds: float | None = None,
        total_seconds: float | None = None,
        max_bytes: int = 1 << 27,
    ) -> list[CallOutcome]:
        """Run any code in a jailed worker and return what it returned, uncompared.

        Args:
            source: the code, a Python file's bytes.
            function: which of its functions to call.
            arguments: the positional arguments of each call: arrays, ints, floats, bools, strings.
            seconds: wall limit of each call; by default the problem's, scaled.
            total_seconds: wall limit of all calls; by default the problem's, scaled.
            max_bytes: the most that one result may take.

        Returns:
            One outcome for each call, in order. Results may be float64, int64 or bool arrays of any
            shape.

        Raises:
            SandboxError: the sandbox failed, twice.
        """
        limits = self.problem.limits
        with self._turn():
            return make_calls(
                self.problem,
                self._sandbox,
                (source, function),
                arguments,
                seconds=limits.time_limit * self.time_scale if seconds is None else seconds,
                total_seconds=(
                    limits.total_time * self.time_scale if total_seconds is None else total_seconds
                ),
                max_bytes=max_bytes,
            )

    def begin_close(self) -> None:
        """Have the sandbox end while the caller goes on; nothing more can be judged."""
        self._proving.join()
        self._sandbox.begin_close()

    def close(self) -> None:
        """End the sandbox and everything in it."""
        self._proving.join()
        self._sandbox.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Take turns with other threads; the sandbox runs one worker at a time."""
        if self._taken_by == threading.get_ident():
            raise RuntimeError(
                "this Judge is still judging in this thread: exhaust or close what iterate() "
                "returned, or use another Judge"
            )
        # The self-test has the sandbox until it is done.
        self._proving.join()
        with self._lock:
            self._taken_by = threading.get_ident()
            try:
                yield
            finally:
                self._taken_by = None

    def _read(self, source: Source) -> bytes:
        if isinstance(source, Path):
            return read_source(source, self.problem.limits.code * 1024)
        return source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source

    def _attempt(
        self,
        data: bytes,
        cases: Sequence[TestCase] | None,
        *,
        fail_fast: bool,
        ahead: bool = True,
    ) -> Attempt:
        with contextlib.suppress(SandboxError):
            # The attempt meets the same failure, and says so in its verdicts.
            _ = self.proof
        return Attempt(
            problem=self.problem,
            sandbox=self._sandbox,
            source=data,
            cases=self._prepared if cases is None else self._prepare(cases),
            scale=self.time_scale,
            fail_fast=fail_fast,
            ahead=ahead,
        )

    def _prepare(self, cases: Sequence[TestCase]) -> list[Prepared]:
        known = {id(prepared.case): prepared for prepared in self._prepared}
        return [known.get(id(case)) or self._pack([case])[0] for case in cases]

    def _pack(self, cases: Sequence[TestCase]) -> list[Prepared]:
        return [Prepared.of(case, self.problem.tolerance) for case in cases]

    def _report(
        self,
        attempt: Attempt,
        results: list[CaseResult],
        name: str,
        start: float,
        seed: int | None,
    ) -> Report:
        by_name = {result.name: result for result in results}
        ordered = [by_name[prepared.case.name] for prepared in attempt.cases]
        boot = self._boot_or_none()
        return Report(
            problem=self.problem.slug,
            submission=name,
            verdict=overall(ordered),
            score=score(ordered, self.problem.weights),
            passed=sum(result.verdict is Verdict.AC for result in ordered),
            total=len(ordered),
            isolation=self._proof.isolation if self._proof else Isolation(),
            provenance=self._provenance(attempt.source, boot, seed),
            time=self._timing(attempt.usage, boot, time.monotonic() - start),
            peak_memory_bytes=attempt.usage.peak_bytes,
            notes=attempt.notes,
            cases=ordered,
        )

    def _boot_or_none(self) -> Boot | None:
        """Return the sandbox's boot; None when it can't boot, which the cases then say."""
        try:
            return self._sandbox.boot
        except SandboxError:
            return None

    def _provenance(self, source: bytes, boot: Boot | None, seed: int | None) -> Provenance:
        return Provenance(
            judge=__version__,
            bundle=self._bundle,
            source=f"sha256:{hashlib.sha256(source).hexdigest()}",
            python=boot.python if boot else "",
            numpy=boot.numpy if boot else "",
            machine=boot.machine if boot else "",
            seed=seed,
        )

    def _timing(self, usage: Usage, boot: Boot | None, wall: float) -> Timing:
        """Return the times; booting is told in the first report only, which waited for it."""
        booted = boot.seconds if boot and not self._boot_reported else 0.0
        self._boot_reported = True
        return Timing(wall_s=wall, boot_s=booted, import_s=usage.import_s, cpu_s=usage.cpu_s)


def _name_of(source: Source, name: str | None) -> str:
    if name is not None:
        return name
    return source.name if isinstance(source, Path) else "submission"
