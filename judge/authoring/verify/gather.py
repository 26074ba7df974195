"""Running mistakes and submissions for verification, in jailed workers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from judge.authoring.generate.parallel import usable_cores
from judge.authoring.verify.evidence import CORE, Accepted, Array, Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.named import name_all
from judge.diagnosis.known import MOST_PAIRS
from judge.diagnosis.variants import Variant, Variants
from judge.faults import BundleError
from judge.mistakes import Mistakes
from judge.problem import Problem
from judge.runner import Execution, Judge
from judge.testcases import TestCase, load_cases, load_manifest
from judge.verdicts import Verdict

Progress = Callable[[str], None]
Part = TypeVar("Part")

_SINGLE = """

_in_double = {function}


def {function}(*arguments):
    import numpy as np

    single = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in arguments]
    return np.array(_in_double(*single), dtype=np.float64)
"""


def load_parts(problem: Problem, findings: Findings) -> Evidence | None:
    """Load everything that checks look at without running anything.

    Returns:
        The evidence; None when a part is broken, which is then recorded.
    """
    here = findings.under("readable")
    manifest = _attempt(partial(load_manifest, problem), here)
    cases = _attempt(partial(load_cases, problem), here) if manifest else None
    mistakes = _attempt(partial(Mistakes.load, problem), here)
    if manifest is None or cases is None or mistakes is None:
        return None
    return Evidence(problem, manifest, cases, mistakes)


def _attempt(load: Callable[[], Part], findings: Findings) -> Part | None:
    try:
        return load()
    except BundleError as error:
        findings.faults(error.faults)
        return None


def run_all(evidence: Evidence, progress: Progress = lambda what: None) -> Evidence:
    """Run the known mistakes, likely pairs of them, and the accepted submissions.

    Raises:
        VariantsError: the mistakes could not be run.
        SandboxError: no process could be started.
    """
    problem, cases = evidence.problem, list(evidence.cases)
    files = accepted_files(problem)
    workers = usable_cores()
    lots = [files[start::workers] for start in range(workers)]
    with ThreadPoolExecutor(workers) as pool:
        submitted = [pool.submit(_run_files, problem, cases, lot, progress) for lot in lots if lot]
        with Judge(problem, cases=cases) as judge:
            results, pairs, pair_results = _run_mistakes(judge, evidence, progress)
        ran = [pair for future in submitted for pair in future.result()]
    ran.sort(key=lambda pair: pair[0].name)
    found = Evidence(
        problem=problem,
        manifest=evidence.manifest,
        cases=evidence.cases,
        mistakes=evidence.mistakes,
        results=results,
        accepted=[double for double, _ in ran],
        single=[single for _, single in ran if single is not None],
        pairs=pairs,
        pair_results=pair_results,
    )
    return replace(found, named=name_all(found))


def accepted_files(problem: Problem) -> list[Path]:
    """Return the reference and every file under `submissions/accepted/`."""
    written = sorted((problem.folder / "submissions" / "accepted").glob("*.py"))
    return [problem.folder / "reference" / problem.function_file, *written]


def _run_mistakes(
    judge: Judge, evidence: Evidence, progress: Progress
) -> tuple[list[Array], list[Variant], list[Array]]:
    mistakes = evidence.mistakes
    variants = Variants(mistakes)
    progress("known mistakes")
    singles: list[Variant] = [(mistake.id,) for mistake in mistakes.known]
    results = variants.results(judge, singles, list(evidence.cases), on_disk=True)
    common = [mistake.id for mistake in mistakes.known if mistake.common]
    pairs = [p for p in itertools.combinations(common, 2) if mistakes.compatible(*p)][:MOST_PAIRS]
    core = [case for case in evidence.cases if CORE in case.tags]
    progress("pairs of mistakes")
    return results, list(pairs), variants.results(judge, pairs, core, on_disk=True)


def _run_files(
    problem: Problem, cases: Sequence[TestCase], files: Sequence[Path], progress: Progress
) -> list[tuple[Accepted, Accepted | None]]:
    core = [case for case in cases if CORE in case.tags]
    ran = []
    with Judge(problem, cases=cases) as judge:
        for path in files:
            name = path.relative_to(problem.folder).as_posix()
            progress(name)
            source = path.read_bytes()
            double = _outcome(name, judge.execute(source, name=name), cases)
            single = source + _SINGLE.format(function=problem.function.name).encode()
            execution = judge.execute(single, name=name, cases=core)
            whole = len(execution.outputs) == len(core)
            ran.append((double, _outcome(name, execution, core) if whole else None))
    return ran


def _outcome(name: str, execution: Execution, cases: Sequence[TestCase]) -> Accepted:
    report = execution.report
    errors = {
        case.name: float(case.error.error_over_tolerance)
        for case in report.cases
        if case.error is not None
    }
    largest = 0.0
    for case in cases:
        if case.name in execution.outputs:
            actual = np.asarray(execution.outputs[case.name], dtype=np.float64)
            off = np.abs(actual - case.expected) / (1 + np.abs(case.expected))
            largest = max(largest, float(np.where(np.isnan(off), np.inf, off).max(initial=0.0)))
    failing = next((c for c in report.cases if c.verdict is not Verdict.AC), None)
    return Accepted(
        name=name,
        verdict=report.verdict,
        why=f"{failing.name}: {failing.message}" if failing else "",
        errors=errors,
        slowest=max((case.time_s for case in report.cases), default=0.0),
        largest_error=largest,
    )
