"""Changes of one thing that `judge verify` measured or reads, each of which breaks a check."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np

from judge.authoring.verify.evidence import Evidence
from judge.mistakes import TagProof
from judge.problem import Problem
from judge.testcases import TestCase
from tests.conftest import ROOT

Change: TypeAlias = Callable[[Evidence, Path], Evidence]
Broken: TypeAlias = tuple[str, Change, list[str]]
"""The name of a check, what breaks it, and every finding that it must give."""

MISTAKES = "submissions/mistakes.yaml"
SIGNATURE = "x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads"


def problem_with(problem: Problem, folder: Path | None = None, **changes: Any) -> Problem:
    changed = msgspec.structs.replace(problem, **changes)
    changed.__dict__["folder"] = folder or problem.folder
    return changed


def with_problem(**changes: Any) -> Change:
    return lambda e, _: dataclasses.replace(e, problem=problem_with(e.problem, **changes))


def in_copy(edit: Callable[[Path], object]) -> Change:
    def change(evidence: Evidence, bundle: Path) -> Evidence:
        edit(bundle)
        return dataclasses.replace(evidence, problem=problem_with(evidence.problem, bundle))

    return change


def replaced(file: str, old: str, new: str) -> Change:
    def edit(bundle: Path) -> None:
        text = (bundle / file).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (bundle / file).write_text(text.replace(old, new), encoding="utf-8")

    return in_copy(edit)


def with_limit(seconds: float) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        limits = msgspec.structs.replace(evidence.problem.limits, time_limit=seconds)
        slow = dataclasses.replace(evidence.accepted[0], name="slow.py", slowest=0.5)
        return dataclasses.replace(
            evidence, problem=problem_with(evidence.problem, limits=limits), accepted=[slow]
        )

    return change


def with_case(name: str, **changes: Any) -> Change:
    """Change a case as the judge reads it."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        cases = [changed(case) if case.name == name else case for case in evidence.cases]
        return dataclasses.replace(evidence, cases=cases)

    def changed(case: TestCase) -> TestCase:
        parts = {"tags": case.tags, "expected": case.expected}
        parts |= {key: compute(case) for key, compute in changes.items()}
        return TestCase.of(case.name, case.group, inputs=case.inputs, **parts)

    return change


def with_entry(name: str, **changes: Any) -> Change:
    """Change a case's line in the manifest."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        entries = [
            msgspec.structs.replace(entry, **changes) if entry.name == name else entry
            for entry in evidence.manifest.cases
        ]
        manifest = msgspec.structs.replace(evidence.manifest, cases=entries)
        return dataclasses.replace(evidence, manifest=manifest)

    return change


def with_mistake(mistake_id: str, **changes: Any) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        known = tuple(
            msgspec.structs.replace(mistake, **changes) if mistake.id == mistake_id else mistake
            for mistake in evidence.known
        )
        return dataclasses.replace(
            evidence, mistakes=dataclasses.replace(evidence.mistakes, known=known)
        )

    return change


def with_results(mistake_id: str, compute: Callable[[TestCase, np.ndarray], np.ndarray]) -> Change:
    """Let a mistake give other results: computed from a case and what it gave."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        row = evidence.row(mistake_id)
        results = [result.copy() for result in evidence.results]
        for case, result in zip(evidence.cases, results, strict=True):
            result[row] = compute(case, result[row])
        return dataclasses.replace(evidence, results=results)

    return change


def blind(name: str) -> Change:
    """Let a case reject nothing."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        results = [
            np.repeat(case.expected[None], len(result), axis=0) if case.name == name else result
            for case, result in zip(evidence.cases, evidence.results, strict=True)
        ]
        return dataclasses.replace(evidence, results=results)

    return change


def with_accepted(**changes: Any) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        first = dataclasses.replace(evidence.accepted[0], **changes)
        return dataclasses.replace(evidence, accepted=[first])

    return change


def both(*changes: Change) -> Change:
    def change(evidence: Evidence, bundle: Path) -> Evidence:
        for one in changes:
            evidence = one(evidence, bundle)
        return evidence

    return change


def without(tag: str) -> Callable[[TestCase], tuple[str, ...]]:
    return lambda case: tuple(t for t in case.tags if t != tag)


def plus(tag: str) -> Callable[[TestCase], tuple[str, ...]]:
    return lambda case: (*case.tags, tag)


def off_by(error: float) -> Callable[[TestCase, np.ndarray], np.ndarray]:
    return lambda case, _: case.expected + error * (1 + np.abs(case.expected))


def hint(text: str) -> Change:
    return with_problem(hints=[text])


def constraint(text: str, holds: str) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        one = type(evidence.problem.constraints[0])(text, holds)
        return dataclasses.replace(
            evidence, problem=problem_with(evidence.problem, constraints=[one])
        )

    return change


def credited(authors: str) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        credit = msgspec.structs.replace(evidence.problem.credits, authors=authors)
        return dataclasses.replace(evidence, problem=problem_with(evidence.problem, credits=credit))

    return change


def proved_by(**proof: Any) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        tags = {"large-hidden": TagProof(**proof)}
        return dataclasses.replace(
            evidence, mistakes=dataclasses.replace(evidence.mistakes, tags=tags)
        )

    return change


def told_apart(mistake: str, names: list[str]) -> Change:
    def change(evidence: Evidence, _: Path) -> Evidence:
        assert evidence.named is not None
        named = dataclasses.replace(evidence.named, shared={mistake: names})
        return dataclasses.replace(evidence, named=named)

    return change


def add_file(name: str) -> Change:
    return in_copy(lambda bundle: (bundle / name).write_text("x = 1\n", encoding="utf-8"))


def rename_in_starter(bundle: Path) -> None:
    path = bundle / "starter" / "encoder_block.py"
    path.write_text(path.read_text(encoding="utf-8").replace("num_heads", "heads"), "utf-8")


def old_statement(bundle: Path) -> None:
    shutil.copy(ROOT / "theory.md", bundle)
    (bundle / "statement.md").write_text("old\n", encoding="utf-8")


def rename_counterexample(bundle: Path) -> None:
    path = bundle / "testcases" / "counterexamples.json"
    text = path.read_text(encoding="utf-8")
    assert text.count('"no-relu"') == 1
    path.write_text(text.replace('"no-relu"', '"no-reloo"'), encoding="utf-8")
