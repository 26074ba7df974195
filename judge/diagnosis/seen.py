"""What was seen of a submission: which cases are right, and what it returned on those compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judge.diagnosis.findings import Outcome
from judge.diagnosis.matching import Observed
from judge.problem import Problem
from judge.runner import Execution
from judge.testcases import TestCase
from judge.verdicts import CaseResult, Reason, Verdict

CORE = "core"
PROBE = "probe"

_TINY = 24
"""Cases of so few elements are extreme in shape: many mistakes show nothing there."""

_MOST_WITHOUT_CORE = 6
_LARGEST_WITHOUT_CORE = 1000


@dataclass(frozen=True)
class Seen:
    """A submission's results, sorted for diagnosis.

    Args:
        problem: the bundle.
        cases: the cases that were judged, by name.
        results: their results, by name.
        observed: what came back beside the answer, for every case that gave an array of the
            right dtype and shape.
        core: names of the cases that known mistakes are compared on.
        probes: names of further cases that only help to find likely pairs: where one mistake has
            no effect, they show the other alone.
    """

    problem: Problem
    cases: dict[str, TestCase]
    results: dict[str, CaseResult]
    observed: dict[str, Observed]
    core: tuple[str, ...]
    probes: tuple[str, ...]

    @staticmethod
    def of(problem: Problem, cases: Sequence[TestCase], execution: Execution) -> Seen:
        """Sort an execution's results.

        Where no core case gave a result, the first few small cases stand in for the core.
        """
        results = {result.name: result for result in execution.report.cases}
        judged = {case.name: case for case in cases if case.name in results}
        observed = {
            name: Observed(
                np.asarray(execution.outputs[name], dtype=np.float64),
                np.asarray(case.expected, dtype=np.float64),
                results[name].verdict is Verdict.AC,
            )
            for name, case in judged.items()
            if name in execution.outputs
        }
        core = [name for name in observed if CORE in judged[name].tags]
        if not core:
            small = [n for n in observed if judged[n].expected.size <= _LARGEST_WITHOUT_CORE]
            small.sort(key=lambda name: observed[name].right)
            core = small[:_MOST_WITHOUT_CORE]
        probes = [
            name
            for name, seen in observed.items()
            if (PROBE in judged[name].tags or seen.exact.size <= _TINY) and name not in core
        ]
        return Seen(problem, judged, results, observed, tuple(core), tuple(probes))

    @property
    def wrong(self) -> bool:
        """Whether a case that known mistakes are compared on is wrong."""
        return any(not self.observed[name].right for name in self.core)

    @property
    def noise(self) -> float:
        """What rounding may amount to, absolutely: the tolerance at the largest answer."""
        tolerance = self.problem.tolerance
        largest = max(
            (float(np.abs(seen.exact).max(initial=0.0)) for seen in self.observed.values()),
            default=0.0,
        )
        return tolerance.absolute + tolerance.relative * largest

    @property
    def outcomes(self) -> list[Outcome]:
        """How each judged case went; those that were not run are left out."""
        return [
            Outcome(
                name,
                frozenset(self.cases[name].tags),
                result.verdict is Verdict.AC,
                result.reason is Reason.NON_FINITE,
            )
            for name, result in self.results.items()
            if name in self.cases and result.verdict is not Verdict.NOT_RUN
        ]

    def failing(self, *reasons: Reason) -> list[TestCase]:
        """Return the cases that failed for one of these reasons, smallest first."""
        found = [
            self.cases[name]
            for name, result in self.results.items()
            if name in self.cases and result.reason in reasons
        ]
        return sorted(found, key=lambda case: case.expected.size)
