"""Checks of the test cases: what they say of themselves, and what they are good for."""

from __future__ import annotations

import numpy as np

from judge.authoring.generate.folder import stale
from judge.authoring.generate.make import largest_bound
from judge.authoring.generate.run import load_plan
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.registry import check
from judge.faults import BundleError
from judge.mistakes import FILE as MISTAKES
from judge.mistakes import TagProof
from judge.testcases import CaseEntry, TestCase

SATURATED = "saturated"
CONSTANT = "constant"
_SAME_SIZE = 1e-5

EXPLAINED = {CONSTANT, SATURATED}
"""Tags that say of a case's answer what would otherwise be found to be wrong with it."""


@check("up-to-date")
def up_to_date(evidence: Evidence, findings: Findings) -> None:
    """The test cases are what `judge generate` would write."""
    try:
        plan = load_plan(evidence.problem)
        for sentence in stale(evidence.problem, plan):
            findings.error("testcases", f"{sentence}; make them again: judge generate")
    except BundleError as error:
        findings.faults(error.faults)


@check("admitted")
def admitted(evidence: Evidence, findings: Findings) -> None:
    """Every case is one on which sane programs stay within the tolerance."""
    limit = largest_bound(evidence.problem)
    for entry in evidence.manifest.cases:
        if not entry.bound <= limit:
            findings.error(
                entry.name,
                f"its error bound is {entry.bound:.1e}, over the tolerance of {limit:.1e}: a right "
                "program may fail here",
            )


@check("different-inputs")
def different_inputs(evidence: Evidence, findings: Findings) -> None:
    """No two cases have the same inputs."""
    first: dict[str, str] = {}
    for entry in evidence.manifest.cases:
        same = first.setdefault(entry.input_sha256, entry.name)
        if same != entry.name:
            findings.error(entry.name, f"has the same inputs as {same}; leave one out")


@check("answers")
def answers(evidence: Evidence, findings: Findings) -> None:
    """No answer could be guessed: not constant, not saturated, not below the tolerance."""
    tolerance = evidence.problem.tolerance
    for case in evidence.cases:
        exact = np.asarray(case.expected, dtype=np.float64)
        if exact.size == 0:
            findings.error(case.name, "its answer has no elements: anything of that shape passes")
            continue
        if np.all(np.abs(exact) <= tolerance.absolute + tolerance.relative * np.abs(exact)):
            findings.error(case.name, "its answer is below the tolerance: zeros would pass")
            continue
        constant = _constant(exact)
        for tag, holds in ((CONSTANT, constant), (SATURATED, not constant and _saturated(exact))):
            # A single number is the same everywhere, and says so to nobody's surprise.
            if holds and tag not in case.tags and exact.size > 1:
                findings.error(
                    case.name,
                    f"its answer is {_WORDS[tag]}, whatever the inputs; where that is what the "
                    f'case shows, give it the tag "{tag}"',
                )
            if tag in case.tags and not holds:
                findings.error(case.name, f'it has the tag "{tag}", but its answer is not that')


_WORDS = {
    CONSTANT: "the same number everywhere",
    SATURATED: "one number with either sign",
}


def _constant(exact: np.ndarray) -> bool:
    return bool(np.all(exact == exact.flat[0]))


def _saturated(exact: np.ndarray) -> bool:
    sizes = np.abs(exact)
    return bool(np.all(np.abs(sizes - sizes.flat[0]) <= _SAME_SIZE * (1 + sizes.flat[0])))


@check("tags", needs_runs=True)
def tags(evidence: Evidence, findings: Findings) -> None:
    """A tag says what the data of its cases show, and of no others."""
    for tag, proof in evidence.mistakes.tags.items():
        if tag not in evidence.manifest.tags:
            findings.error(f"{MISTAKES}: tags.{tag}", "the test cases have no such tag")
            continue
        for index, case in enumerate(evidence.cases):
            shown = _shows(evidence, proof, index, case)
            if shown and tag not in case.tags:
                findings.error(case.name, f'lacks the tag "{tag}", though {_because(proof)}')
            if not shown and tag in case.tags:
                findings.error(
                    case.name, f'has the tag "{tag}", but it is not so that {_because(proof)}'
                )


def _shows(evidence: Evidence, proof: TagProof, index: int, case: TestCase) -> bool:
    if proof.zero:
        names = [parameter.name for parameter in evidence.problem.function.parameters]
        inputs = dict(zip(names, case.inputs, strict=True))
        return all(not np.any(inputs[name]) for name in proof.zero)
    row = evidence.row(proof.shown_by)
    if proof.non_finite:
        return not np.isfinite(evidence.results[index][row]).all()
    if proof.off_by:
        return bool(np.nanmax(np.abs(evidence.results[index][row] - case.expected)) > proof.off_by)
    return bool(evidence.margins[row, index] > 1)


def _because(proof: TagProof) -> str:
    if proof.zero:
        return f"{' and '.join(proof.zero)} are all zeros"
    how = "gives NaN or infinity" if proof.non_finite else "is wrong"
    by = f" by more than {proof.off_by:g}" if proof.off_by else ""
    return f'the mistake "{proof.shown_by}" {how}{by}'


@check("explained-tags")
def explained_tags(evidence: Evidence, findings: Findings) -> None:
    """Every tag is explained, carried by some case, and either computed or proved."""
    carried = {tag for case in evidence.cases for tag in case.tags}
    for tag in sorted(carried - evidence.manifest.tags.keys()):
        findings.error(f"tag {tag}", "it is carried by cases, but explained nowhere")
    for tag in evidence.manifest.tags:
        if tag not in carried:
            findings.warning(f"tag {tag}", "no case carries it")


@check("worth-its-place", needs_runs=True)
def worth_its_place(evidence: Evidence, findings: Findings) -> None:
    """Every case catches something that no like case catches, or shows something else."""
    for one, case in enumerate(evidence.cases):
        like = next(
            (i for i in range(len(evidence.cases)) if _makes_needless(evidence, i, one)), None
        )
        if like is not None:
            findings.warning(
                case.name,
                f"catches nothing that {evidence.cases[like].name} does not catch, and has no tag "
                "and no smallest size that it lacks; leave it out, or give it the tag that says "
                "what it shows",
            )


def _makes_needless(evidence: Evidence, like: int, one: int) -> bool:
    """Tell whether a case has all the tags, smallest sizes and catch of another.

    Published cases stay; of two that are equal in all this the first stays.
    """
    if like == one or one in evidence.samples or like in evidence.samples:
        return False
    ours, theirs = set(evidence.cases[one].tags), set(evidence.cases[like].tags)
    entries = {entry.name: entry for entry in evidence.manifest.cases}
    small = _extremes(entries[evidence.cases[one].name])
    if not (ours <= theirs and small <= _extremes(entries[evidence.cases[like].name])):
        return False
    caught, also = (evidence.margins[:, column] > 1 for column in (one, like))
    equal = ours == theirs and np.array_equal(caught, also)
    return bool(np.all(also | ~caught)) and not (equal and one < like)


def _extremes(entry: CaseEntry) -> set[tuple[str, int, int]]:
    """Return what of a case's shapes is as small as can be: the axes of size one."""
    return {
        (name, axis, size)
        for name, shape in entry.shapes.items()
        for axis, size in enumerate(shape)
        if size == 1
    }
