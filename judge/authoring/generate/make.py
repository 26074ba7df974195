"""Making one case: draw inputs until one draw is admitted, then prove the answer."""

from __future__ import annotations

import contextlib
import hashlib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from judge import constraints
from judge.authoring.generate.draw import Draw
from judge.authoring.generate.plan import GIVEN, PLAN_FILE, CasePlan, Plan, given_inputs
from judge.authoring.modules import load_families, load_function
from judge.casefiles import decode_answer, decode_input, encode_answer, encode_input
from judge.faults import BundleError, Fault, Faults
from judge.problem import Problem
from judge.testcases import CaseEntry, TestCase

MOST_ATTEMPTS = 200
EXACT_FILE = "reference/exact.py"


@dataclass(frozen=True)
class MadeCase:
    """A case ready to be written.

    Args:
        entry: its line in the manifest.
        input_bytes: content of `NAME.in.json`.
        answer_bytes: content of `NAME.ans.json`.
        refused: why each earlier attempt fell, in order.
    """

    entry: CaseEntry
    input_bytes: bytes
    answer_bytes: bytes
    refused: tuple[str, ...]


def as_test_case(problem: Problem, made: MadeCase) -> TestCase:
    """Return a made case as the judge would read it from its files."""
    faults = Faults(made.entry.name)
    inputs = decode_input(made.input_bytes, problem, faults)
    expected = decode_answer(made.answer_bytes, problem.function.result, faults)
    faults.raise_if_any()
    assert expected is not None  # noqa: S101 (None only with faults)
    entry = made.entry
    given = tuple(arguments(problem, inputs))
    return TestCase.of(entry.name, entry.group, tuple(entry.tags), given, expected)


def make_case(problem: Problem, plan: Plan, case: CasePlan, seed: int, made_by: str) -> MadeCase:
    """Draw, admit and prove one case.

    Args:
        problem: the bundle.
        plan: the file of cases, for the rules of its tags.
        case: the case.
        seed: the bundle seed.
        made_by: digest to note in the manifest.

    Returns:
        The case; equal arguments give equal bytes on every machine.

    Raises:
        BundleError: no attempt is admitted, or the inputs do not fit the signature.
    """
    inputs, attempt, worst, refused = _admitted_inputs(problem, case, seed)
    return finish_case(problem, plan, case, inputs, made_by, attempt, worst, refused)


def finish_case(
    problem: Problem,
    plan: Plan,
    case: CasePlan,
    inputs: dict[str, Any],
    made_by: str,
    attempt: int,
    worst: float,
    refused: list[str],
) -> MadeCase:
    """Prove the answer of admitted inputs, and encode both."""
    from judge.authoring.arithmetic import Undecided, prove

    faults = Faults(f"{PLAN_FILE}: {case.name}")
    sizes = problem.check_inputs(inputs, faults)
    faults.raise_if_any()
    exact, dtype = load_function(problem, EXACT_FILE), problem.function.result.dtype
    try:
        with setters_faults(EXACT_FILE, case.name):
            proof = prove(exact, arguments(problem, inputs), dtype)
    except Undecided as error:
        fault = Fault(f"{PLAN_FILE}: {case.name}", f"its answer can't be proved: {error}")
        raise BundleError([fault]) from None
    input_bytes, answer_bytes = encode_input(inputs), encode_answer(proof.values)
    shapes = {
        name: list(value.shape) for name, value in inputs.items() if isinstance(value, np.ndarray)
    }
    held = [t for t, rule in plan.tags.items() if rule.holds and holds(rule.holds, sizes)]
    entry = CaseEntry(
        name=case.name,
        group=case.group,
        family=case.family or GIVEN,
        attempt=attempt,
        tags=[*case.tags, *held],
        shows=case.shows,
        shapes=shapes,
        input_sha256=hashlib.sha256(input_bytes).hexdigest(),
        answer_sha256=hashlib.sha256(answer_bytes).hexdigest(),
        precision=proof.precision,
        bound=worst,
        made_by=made_by,
    )
    return MadeCase(entry, input_bytes, answer_bytes, tuple(refused))


def holds(expression: str, sizes: dict[str, int]) -> bool:
    """Tell whether a tag's expression is true of a case's sizes."""
    return constraints.holds(expression, sizes)


def arguments(problem: Problem, inputs: dict[str, Any]) -> list[Any]:
    """Return inputs in the function's order."""
    return [inputs[parameter.name] for parameter in problem.function.parameters]


def largest_bound(problem: Problem) -> float:
    """Return the worst-case error at which a case is still admitted: the tolerance itself.

    The bound is in the metric |actual - exact| / (1 + |exact|), which the smaller of the two
    tolerances dominates.
    """
    return min(problem.tolerance.absolute, problem.tolerance.relative)


def draw_inputs(problem: Problem, case: CasePlan, seed: int, attempt: int) -> dict[str, Any] | str:
    """Draw one attempt's inputs, or return why the family refuses this draw."""
    family = load_families(problem)[case.family]
    where = f"generator/families.py: {case.family}"
    try:
        with setters_faults(where, case.name, ValueError, TypeError):
            drawn = family(Draw(seed, case.name, attempt), dict(case.shape), **case.options)
    except ValueError as error:
        return str(error)
    except TypeError as error:
        # A wrong option under `with` shows as a wrong keyword argument.
        raise BundleError([Fault(f"{PLAN_FILE}: {case.name}", f"with: {error}")]) from None
    faults = Faults(f"{where}, for {case.name}")
    problem.check_inputs(drawn, faults)
    faults.raise_if_any()
    return {parameter.name: drawn[parameter.name] for parameter in problem.function.parameters}


@contextlib.contextmanager
def setters_faults(where: str, case: str, *passed: type[Exception]) -> Iterator[None]:
    """Turn an exception of a setter's own code into a fault that says where it was raised.

    Args:
        where: the file, as messages name it.
        case: the case it was run for.
        passed: exceptions that mean something else to the caller.
    """
    from judge.authoring.arithmetic import Undecided

    kept: tuple[type[Exception], ...] = (BundleError, Undecided, *passed)
    try:
        yield
    except kept:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"line {frame.lineno} of {Path(frame.filename).name}"
        message = f"{type(error).__name__} in {place}, on {case}: {error}"
        raise BundleError([Fault(where, message)]) from error


def _admitted_inputs(
    problem: Problem, case: CasePlan, seed: int
) -> tuple[dict[str, Any], int, float, list[str]]:
    from judge.authoring.arithmetic import bound

    exact = load_function(problem, EXACT_FILE)
    limit = largest_bound(problem)
    refused: list[str] = []
    for attempt in range(MOST_ATTEMPTS if case.family else 1):
        if case.family:
            drawn = draw_inputs(problem, case, seed, attempt)
            if isinstance(drawn, str):
                refused.append(drawn)
                continue
        else:
            drawn = given_inputs(case, problem, Faults(PLAN_FILE))
        with setters_faults(EXACT_FILE, case.name):
            worst = bound(exact, arguments(problem, drawn))
        if worst <= limit:
            return drawn, attempt, worst, refused
        refused.append(f"the error bound is {worst:.2g}, over {limit:.2g}")
    tries = "its values are" if not case.family else f"none of {MOST_ATTEMPTS} attempts is"
    message = (
        f"{tries} admitted; the last: {refused[-1]}. Make the shape smaller or the weights lighter."
    )
    raise BundleError([Fault(f"{PLAN_FILE}: {case.name}", message)])
