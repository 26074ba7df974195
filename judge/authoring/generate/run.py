"""Generating a bundle's whole set: in parallel, through the cache, in the order of the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from judge.authoring.generate.cache import read_made, write_made
from judge.authoring.generate.digests import case_digest, made_from
from judge.authoring.generate.folder import encode_manifest, locked, write_folder
from judge.authoring.generate.make import (
    EXACT_FILE,
    MadeCase,
    arguments,
    as_test_case,
    make_case,
    setters_faults,
)
from judge.authoring.generate.parallel import in_parallel
from judge.authoring.generate.plan import CasePlan, Plan
from judge.authoring.modules import load_families, load_function
from judge.casefiles import decode_answer, decode_input
from judge.counterexamples import COUNTEREXAMPLES
from judge.faults import BundleError, Fault, Faults
from judge.mistakes import FILE as MISTAKES
from judge.problem import Problem
from judge.testcases import FOLDER, MANIFEST, MANIFEST_FORMAT, Manifest, load_manifest

SECOND_OPINION = "reference/second_opinion.py"

Progress = Callable[[int, int, str], None]
"""Called with cases done, cases in all, and the name of the last one."""


@dataclass(frozen=True)
class Generated:
    """The outcome of a generation: every case, and the paths that changed on disk."""

    cases: tuple[MadeCase, ...]
    changed: tuple[str, ...]
    from_cache: int


def load_plan(problem: Problem) -> Plan:
    """Read and check a bundle's `cases.yaml` against its families."""
    return Plan.load(problem, load_families(problem))


def make_cases(
    problem: Problem, plan: Plan, seed: int, progress: Progress, jobs: int | None = None
) -> tuple[list[MadeCase], int]:
    """Make every case of a plan, taking from the cache what it has.

    Args:
        problem: the bundle.
        plan: its cases.
        seed: the bundle seed.
        progress: told of every case.
        jobs: processes; as many as this process may use cores when None.

    Returns:
        The cases in the plan's order, and how many came from the cache.

    Raises:
        BundleError: with the fault of every case that can't be made.
    """
    common = made_from(problem)
    digests = {case.name: case_digest(case, plan, seed, common) for case in plan.cases}
    made = {case.name: read_made(digests[case.name]) for case in plan.cases}
    missing = [case for case in plan.cases if made[case.name] is None]
    cached = len(plan.cases) - len(missing)
    faults: list[Fault] = []
    make = partial(_make, problem.folder, plan, seed, digests)
    # Heaviest first: the longest proof then never runs alone at the end.
    missing.sort(key=lambda case: -_weight(case))
    for count, (name, result) in enumerate(in_parallel(make, missing, jobs), start=1):
        if isinstance(result, MadeCase):
            made[name] = result
            write_made(result)
        else:
            faults += result
        progress(cached + count, len(plan.cases), name)
    if faults:
        raise BundleError(faults)
    return [found for found in made.values() if found is not None], cached


def generate(
    problem: Problem,
    target: Path,
    seed: int,
    progress: Progress,
    jobs: int | None = None,
    examples_progress: Progress = lambda done, total, name: None,
) -> Generated:
    """Make every case and put the folder in place, whole or not at all.

    Args:
        problem: the bundle.
        target: the folder to write, usually `testcases/` of the bundle.
        seed: the bundle seed.
        progress: told of every case.
        jobs: processes; as many as this process may use cores when None.
        examples_progress: told of every counterexample.
    """
    plan = load_plan(problem)
    cases, cached = make_cases(problem, plan, seed, progress, jobs)
    manifest = Manifest(
        format=MANIFEST_FORMAT,
        problem=problem.slug,
        seed=seed,
        made_from=made_from(problem),
        tags={tag: rule.info for tag, rule in plan.tags.items()},
        cases=[case.entry for case in cases],
    )
    files = {MANIFEST: encode_manifest(manifest)}
    for case in cases:
        files[f"{case.entry.name}.in.json"] = case.input_bytes
        files[f"{case.entry.name}.ans.json"] = case.answer_bytes
    if (problem.folder / MISTAKES).is_file():
        from judge.authoring.counterexamples import make_counterexamples

        judged = [as_test_case(problem, case) for case in cases]
        files[COUNTEREXAMPLES] = make_counterexamples(problem, judged, examples_progress, jobs)
    with locked(problem.folder):
        changed = write_folder(target, files)
    return Generated(tuple(cases), tuple(changed), cached)


def prove_again(problem: Problem, progress: Progress, jobs: int | None = None) -> list[str]:
    """Compute every answer on disk once more by the independent second opinion, and compare.

    Returns:
        One sentence for every case in which an element differs.

    Raises:
        BundleError: a file is missing or does not fit the signature.
    """
    names = [entry.name for entry in load_manifest(problem).cases]
    found = []
    prove = partial(_prove_one, problem.folder)
    for count, (name, fault) in enumerate(in_parallel(prove, names, jobs), start=1):
        found += [fault] if fault else []
        progress(count, len(names), name)
    return sorted(found)


def _make(
    folder: Path, plan: Plan, seed: int, digests: dict[str, str], case: CasePlan
) -> tuple[str, MadeCase | list[Fault]]:
    problem = Problem.load(folder)
    try:
        return case.name, make_case(problem, plan, case, seed, digests[case.name])
    except BundleError as error:
        return case.name, list(error.faults)


def _prove_one(folder: Path, name: str) -> tuple[str, str]:
    problem = Problem.load(folder)
    faults = Faults(f"{FOLDER}/{name}")
    path = folder / FOLDER / name
    try:
        given = path.with_name(f"{path.name}.in.json").read_bytes()
        answer = path.with_name(f"{path.name}.ans.json").read_bytes()
    except OSError as error:
        return name, f"{name}: {Path(str(error.filename)).name}: {error.strerror}"
    inputs = decode_input(given, problem, faults)
    expected = decode_answer(answer, problem.function.result, faults)
    if not faults.found:
        problem.check_inputs(inputs, faults)
    if faults.found or expected is None:
        return name, "; ".join(str(fault) for fault in faults.found)
    values = _second_opinion(problem, arguments(problem, inputs), name)
    if values.shape != expected.shape:
        return name, f"{name}: the second opinion has shape {values.shape}"
    differing = int(np.count_nonzero(values != expected))
    return name, f"{name}: {differing} of {values.size} elements differ" if differing else ""


def _second_opinion(problem: Problem, given: list[Any], name: str) -> np.ndarray:
    """Return the values of the bundle's second opinion; of its formulas, where it brings none."""
    from judge.authoring.arithmetic import second_opinion_values
    from judge.authoring.arithmetic.digits import formula_values

    if (problem.folder / SECOND_OPINION).is_file():
        with setters_faults(SECOND_OPINION, name):
            return second_opinion_values(load_function(problem, SECOND_OPINION), given)
    with setters_faults(EXACT_FILE, name):
        return formula_values(load_function(problem, EXACT_FILE), given)


def _weight(case: CasePlan) -> int:
    """Return a rough size of a case, in elements to be multiplied."""
    sizes = case.shape.values()
    return sum(sizes) ** 3 if case.shape else 0
