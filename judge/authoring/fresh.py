"""Fresh test cases: drawn from the bundle's families on the spot, admitted and proved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from judge import constraints
from judge.authoring.generate.draw import Draw
from judge.authoring.generate.make import (
    EXACT_FILE,
    MadeCase,
    arguments,
    as_test_case,
    draw_inputs,
    finish_case,
    largest_bound,
)
from judge.authoring.generate.plan import CasePlan, Plan
from judge.authoring.generate.run import load_plan
from judge.authoring.modules import load_function
from judge.faults import BundleError, Fault
from judge.problem import Problem
from judge.testcases import TestCase

_ATTEMPTS = 4
"""Draws of one shape before another shape is tried."""

_SHAPES = 60
"""Shapes tried for one case; so many refusals in a row mean that the families are at fault."""

_GROWTH = 2
"""Sizes are drawn up to this many times those of the case that serves as a pattern."""


def fresh_cases(problem: Problem, seed: int, plan: Plan | None = None) -> Iterator[TestCase]:
    """Yield fresh cases without end; equal seeds give equal cases.

    Each takes a secret case of `cases.yaml` as its pattern, with other numbers and often with other
    sizes, and is admitted by its error bound like any other. It counts in its pattern's group.

    Args:
        problem: the bundle.
        seed: decides everything.
        plan: the bundle's cases, when they are loaded already.

    Raises:
        BundleError: the bundle has no families, or none of many draws is admitted.
    """
    plan = plan or load_plan(problem)
    public = problem.groups[0].name
    patterns = [case for case in plan.cases if case.family and case.group != public]
    patterns = patterns or [case for case in plan.cases if case.family]
    if not patterns:
        raise BundleError([Fault("generator/cases.yaml", "no case is drawn from a family")])
    for number in itertools.count(1):
        made = _make(problem, plan, patterns, seed, number)
        yield as_test_case(problem, made)


def _make(
    problem: Problem, plan: Plan, patterns: list[CasePlan], seed: int, number: int
) -> MadeCase:
    from judge.authoring.arithmetic import bound

    exact = load_function(problem, EXACT_FILE)
    limit = largest_bound(problem)
    for tried in range(_SHAPES):
        stream = Draw(seed, f"fresh {number}", tried)
        pattern = patterns[stream.choice(len(patterns))]
        case = msgspec.structs.replace(
            pattern,
            name=f"{pattern.group}/fresh-{number}",
            shape=_vary(problem, pattern.shape, stream),
        )
        for attempt in range(_ATTEMPTS):
            # Another stream than that of a case with this name in another attempt at a shape.
            drawn = draw_inputs(problem, case, seed, tried * _ATTEMPTS + attempt)
            if isinstance(drawn, str):
                continue
            worst = bound(exact, arguments(problem, drawn))
            if worst <= limit:
                return finish_case(problem, plan, case, drawn, "fresh", attempt, worst, [])
    raise BundleError(
        [Fault("generator/families.py", f"none of {_SHAPES * _ATTEMPTS} fresh draws is admitted")]
    )


def _vary(problem: Problem, shape: dict[str, int], stream: Draw) -> dict[str, int]:
    """Change about half of the sizes, within the constraints; the shape itself if none fits."""
    for _ in range(_SHAPES):
        changed = {
            name: stream.choice(_GROWTH * size) + 1 if stream.choice(2) else size
            for name, size in shape.items()
        }
        if all(not c.holds or constraints.holds(c.holds, changed) for c in problem.constraints):
            return changed
    return shape
