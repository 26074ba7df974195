"""Search for a fresh case on which a submission fails, and shrink it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judge.authoring.counterexamples import Workshop, quietly
from judge.authoring.fresh import fresh_cases
from judge.authoring.generate.make import arguments, largest_bound
from judge.authoring.shrink import Inputs, Shrinker
from judge.counterexamples import Counterexample
from judge.runner import Judge
from judge.testcases import TestCase
from judge.verdicts import CaseResult, Verdict

_LOT = 8
"""Cases that are judged in one worker: starting one costs more than running a small case."""

_PART_OF_ERROR = 0.01
"""While a case shrinks, its error may shrink to this part."""

Progress = Callable[[int, float], None]
"""Called with the number of fresh cases judged so far, and the seconds that took."""


@dataclass(frozen=True)
class Failure:
    """A fresh case on which a submission fails.

    Args:
        result: what came of it, as it was drawn.
        case: the case as it was drawn.
        example: the case, shrunk; its `mistake` names the case.
        shrunk: what came of the shrunk case.
    """

    result: CaseResult
    case: TestCase
    example: Counterexample
    shrunk: CaseResult


@dataclass(frozen=True)
class Stressed:
    """The outcome of a search.

    Args:
        seed: reproduces it.
        judged: number of fresh cases judged.
        seconds: how long that took.
        failure: the first failure, shrunk; None when every case was accepted.
    """

    seed: int
    judged: int
    seconds: float
    failure: Failure | None


def stress(
    judge: Judge,
    source: bytes,
    seed: int,
    *,
    seconds: float,
    most: int | None = None,
    progress: Progress = lambda judged, elapsed: None,
) -> Stressed:
    """Judge a submission on fresh cases until one fails or the time is up.

    Args:
        judge: runs the submission in its sandbox.
        source: the submission.
        seed: decides the cases.
        seconds: wall time of the search; shrinking takes as long again at most.
        most: number of cases to judge at most.
        progress: told after every lot of cases.

    Raises:
        BundleError: no fresh case can be made.
        SandboxError: the sandbox failed.
    """
    began = time.monotonic()
    cases = itertools.islice(fresh_cases(judge.problem, seed), most)
    judged = 0
    while time.monotonic() - began < seconds:
        lot = _lot(cases, began + seconds)
        if not lot:
            break
        report = judge.run(source, cases=lot)
        judged += len(lot)
        progress(judged, time.monotonic() - began)
        for case, result in zip(lot, report.cases, strict=True):
            if result.verdict not in (Verdict.AC, Verdict.NOT_RUN):
                elapsed = time.monotonic() - began
                failure = _shrink(judge, source, case, result, time.monotonic() + seconds)
                return Stressed(seed, judged, elapsed, failure)
    return Stressed(seed, judged, time.monotonic() - began, None)


def _lot(cases: itertools.islice[TestCase], until: float) -> list[TestCase]:
    """Take the next few cases, fewer when making them takes too long."""
    lot: list[TestCase] = []
    for case in cases:
        lot.append(case)
        if len(lot) == _LOT or time.monotonic() > until:
            break
    return lot


def _shrink(
    judge: Judge, source: bytes, case: TestCase, result: CaseResult, until: float
) -> Failure:
    problem = judge.problem
    workshop = Workshop.of(problem)
    names = [parameter.name for parameter in problem.function.parameters]
    inputs = dict(zip(names, case.inputs, strict=True))
    if result.verdict not in (Verdict.WA, Verdict.RTE):
        # A smaller case teaches nothing of a program that can't be loaded, or takes too long.
        return Failure(result, case, Counterexample(case.name, inputs, case.expected), result)
    enough = largest_bound(problem)
    if result.error is not None and result.verdict is Verdict.WA:
        absolute = float(result.error.absolute)
        enough = max(enough, _PART_OF_ERROR * absolute if np.isfinite(absolute) else 0.0)

    def shows(inputs: Inputs) -> bool:
        if time.monotonic() > until:
            return False
        given = arguments(problem, inputs)
        right = quietly(workshop.reference, given)
        if right is None or not np.isfinite(right).all():
            return False
        outcome = judge.call(source, problem.function.name, [given])[0]
        if outcome.value is None:
            return outcome.failure is not None and outcome.failure.reason == result.reason
        if result.verdict is not Verdict.WA or outcome.value.shape != right.shape:
            return outcome.value.shape != right.shape
        with np.errstate(all="ignore"):
            off = np.abs(outcome.value - right) / (1 + np.abs(right))
        return not bool(np.all(off < enough))

    plain = dict(zip(names, judge.cases[0].inputs, strict=True)) if judge.cases else {}
    inputs = Shrinker(problem, shows, workshop.admits, plain).shrink(inputs)
    expected = workshop.answer(inputs)
    small = TestCase.of(
        case.name, case.group, case.tags, tuple(arguments(problem, inputs)), expected
    )
    shrunk = judge.run(source, cases=[small]).cases[0]
    return Failure(result, case, Counterexample(case.name, inputs, expected), shrunk)
