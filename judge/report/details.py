"""What a report can show of a case beyond its verdict: inputs, expected and actual values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from judge.report.audience import PUBLIC_GROUPS, Audience

if TYPE_CHECKING:
    from judge.problem import Problem
    from judge.testcases import TestCase


@dataclass(frozen=True, eq=False)
class CaseDetail:
    """The values of one case.

    Args:
        inputs: arguments by parameter name: arrays and Python values.
        expected: the answer.
        actual: what the submission returned, of the answer's shape and dtype; None when it returned
            nothing of that kind.
    """

    inputs: Mapping[str, Any]
    expected: np.ndarray
    actual: np.ndarray | None = None


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
    return {
        case.name: CaseDetail(
            dict(zip(names, case.inputs, strict=True)), case.expected, outputs.get(case.name)
        )
        for case in cases
        if open_to_all or case.group in PUBLIC_GROUPS
    }
