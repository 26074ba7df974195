"""What a report can show of a case beyond its verdict: inputs, expected and actual values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from judge.problem import Tolerance
from judge.report.audience import PUBLIC_GROUPS, Audience
from judge.report.snippet import snippet

if TYPE_CHECKING:
    from judge.problem import Problem
    from judge.testcases import TestCase

_LARGEST_SNIPPET = 400
_NO_TOLERANCE = Tolerance(0.0, 0.0)


@dataclass(frozen=True, eq=False)
class CaseDetail:
    """The values of one case.

    Args:
        inputs: arguments by parameter name: arrays and Python values.
        expected: the answer.
        actual: what the submission returned, of the answer's shape and dtype; None when it returned
            nothing of that kind.
        tolerance: what may differ in float64 results; whole numbers and booleans must be equal.
        snippet: the case as Python to paste, or "".
    """

    inputs: Mapping[str, Any]
    expected: np.ndarray
    actual: np.ndarray | None = None
    tolerance: Tolerance = _NO_TOLERANCE
    snippet: str = ""

    def error_over_tolerance(self) -> NDArray[np.float64]:
        """Return |actual - expected| over the tolerance, NaN where actual is NaN.

        Raises:
            ValueError: there is no actual value.
        """
        if self.actual is None:
            raise ValueError("nothing was returned that could be compared")
        if self.expected.dtype.kind != "f":
            return np.where(self.actual == self.expected, 0.0, np.inf)
        with np.errstate(all="ignore"):
            distance = np.abs(self.actual - self.expected)
            allowed = self.tolerance.absolute + self.tolerance.relative * np.abs(self.expected)
            ratio = distance / allowed
        return np.asarray(np.where(distance == 0.0, 0.0, ratio))


def case_details(
    problem: Problem,
    cases: Iterable[TestCase],
    outputs: Mapping[str, np.ndarray],
    audience: Audience | str = Audience.AUTHOR,
) -> dict[str, CaseDetail]:
    """Gather what an audience may see of the cases: all for an author, samples for a learner.

    Args:
        problem: names the parameters.
        cases: the cases that were judged.
        outputs: by case name, what the submission returned.
        audience: who reads.
    """
    names = [parameter.name for parameter in problem.function.parameters]
    open_to_all = Audience(audience) is Audience.AUTHOR
    details = {}
    for case in cases:
        if not open_to_all and case.group not in PUBLIC_GROUPS:
            continue
        inputs = dict(zip(names, case.inputs, strict=True))
        details[case.name] = CaseDetail(
            inputs,
            case.expected,
            outputs.get(case.name),
            problem.tolerance,
            snippet(problem, case.name, inputs, case.expected) if _short(inputs) else "",
        )
    return details


def _short(inputs: Mapping[str, Any]) -> bool:
    """Tell whether a case is small enough to read as a program."""
    return sum(np.size(value) for value in inputs.values()) <= _LARGEST_SNIPPET
