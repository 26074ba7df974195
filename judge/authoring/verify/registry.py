"""Every check by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings

CheckFunction: TypeAlias = Callable[[Evidence, Findings], None]


@dataclass(frozen=True)
class Check:
    """One check.

    Args:
        name: as findings name it.
        guards: what it makes sure of, in a sentence.
        run: looks at the evidence and records what is wrong.
        needs_runs: whether it looks at what mistakes and submissions gave.
    """

    name: str
    guards: str
    run: CheckFunction
    needs_runs: bool


CHECKS: list[Check] = []


def check(name: str, *, needs_runs: bool = False) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check; the first line of its docstring says what it guards."""

    def register(function: CheckFunction) -> CheckFunction:
        guards = (function.__doc__ or "").strip().partition("\n")[0]
        CHECKS.append(Check(name, guards, function, needs_runs))
        return function

    return register
