"""Checks of the known mistakes: each is rejected, by a margin, and told apart."""

from __future__ import annotations

import itertools

import numpy as np

from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.registry import check
from judge.diagnosis.matching import LARGEST_DISTANCE
from judge.mistakes import FILE, PRECISION, Mistake

ALLCLOSE = "np.allclose"
_SMALL_ERROR = 1e-5


@check("mistakes-run", needs_runs=True)
def mistakes_run(evidence: Evidence, findings: Findings) -> None:
    """Every mistake is a program: it gives an array of the right shape on most cases."""
    for row, mistake in enumerate(evidence.known):
        failed = sum(bool(np.isnan(results[row]).all()) for results in evidence.results)
        if 2 * failed > len(evidence.cases):
            findings.error(
                _at(mistake),
                f"gives nothing but NaN on {failed} of {len(evidence.cases)} cases: it raises, or "
                "is no Python; run it by hand with its edits made",
            )


@check("mistake-survives", needs_runs=True)
def survivors(evidence: Evidence, findings: Findings) -> None:
    """Every mistake is rejected by some case."""
    for mistake, best in zip(evidence.known, evidence.best, strict=True):
        if best <= 1 and not mistake.below_tolerance:
            findings.error(
                _at(mistake),
                f"no case rejects it (error over tolerance {best:.2g}); add a case that shows it",
            )


@check("margin", needs_runs=True)
def margins(evidence: Evidence, findings: Findings) -> None:
    """Every mistake's best case rejects it by the margin that the bundle demands."""
    for mistake, best in zip(evidence.known, evidence.best, strict=True):
        demanded = evidence.demanded(mistake)
        if 1 < best < demanded and not mistake.below_tolerance:
            findings.error(
                _at(mistake),
                f"its best case rejects it by {best:.3g} tolerances, demanded are {demanded:g}",
            )
        if mistake.below_tolerance and best >= demanded:
            findings.error(
                _at(mistake),
                f"below_tolerance says that it passes on purpose, but {best:.3g} tolerances off "
                "is enough to reject it; remove the key",
            )


@check("samples-see", needs_runs=True)
def samples_see(evidence: Evidence, findings: Findings) -> None:
    """The published samples alone show every structural mistake, but for those that are listed."""
    for row, mistake in enumerate(evidence.known):
        if mistake.stage == PRECISION:
            continue
        seen = bool(np.any(evidence.margins[row, evidence.samples] > 1))
        core = evidence.margins[row, evidence.core].max(initial=0.0)
        if not seen and not mistake.not_in_samples and core >= evidence.demanded(mistake):
            findings.error(
                _at(mistake),
                "the samples accept it and the core rejects it: learners will pass every sample; "
                "say under not_in_samples what it takes to see it",
            )
        if seen and mistake.not_in_samples:
            findings.error(
                _at(mistake), "not_in_samples says that no sample shows it, but one does"
            )


@check("core-sees", needs_runs=True)
def core_sees(evidence: Evidence, findings: Findings) -> None:
    """The core shows every mistake, so that the diagnosis can name it."""
    if not evidence.core:
        findings.warning(
            "testcases", 'no case has the tag "core": the diagnosis compares a few small ones'
        )
        return
    for row, mistake in enumerate(evidence.known):
        core = evidence.margins[row, evidence.core].max(initial=0.0)
        if core <= 1 < evidence.best[row]:
            findings.error(
                _at(mistake),
                "some case rejects it and no core case does: the diagnosis can't name it; give "
                'such a case the tag "core"',
            )


@check("same-outputs", needs_runs=True)
def same_outputs(evidence: Evidence, findings: Findings) -> None:
    """Mistakes with the same results say so under same_as, and only those."""
    results = _flat(evidence)
    exact = np.concatenate([case.expected.ravel() for case in evidence.cases])
    for one, other in itertools.combinations(range(len(evidence.known)), 2):
        first, second = evidence.known[one], evidence.known[other]
        declared = evidence.mistakes.canonical(first.id) == evidence.mistakes.canonical(second.id)
        same = _alike(results[one], results[other]) and _same(results[one], results[other], exact)
        if same and not declared:
            findings.error(
                _at(second),
                f"gives the same results as {first.id} on every case; if it is the same function, "
                f"say same_as: {first.id}; if not, add a case that tells them apart",
            )
        if declared and not same:
            findings.error(
                _at(second), f"same_as joins it with {first.id}, but their results differ"
            )


@check("told-apart", needs_runs=True)
def told_apart(evidence: Evidence, findings: Findings) -> None:
    """The diagnosis names every mistake that the core rejects, and no other beside it."""
    for mistake_id, found in (evidence.named.shared if evidence.named else {}).items():
        said = f"names {', '.join(found)}" if found else "names nothing"
        findings.warning(
            f"{FILE}: {mistake_id}",
            f"of a submission that makes it the diagnosis {said}; a core case that tells them "
            "apart would help",
        )


def _flat(evidence: Evidence) -> np.ndarray:
    rows = len(evidence.known)
    return np.concatenate([r.reshape(rows, -1) for r in evidence.results], axis=1)


_ROUNDING = 1e-9
_FEW = 400


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Tell quickly, by the first few hundred numbers, that two results may be equal."""
    with np.errstate(all="ignore"):
        gap = np.abs(one[:_FEW] - other[:_FEW])
    return not bool(np.any(gap > LARGEST_DISTANCE))


def _same(one: np.ndarray, other: np.ndarray, exact: np.ndarray) -> bool:
    """Tell whether two results are equal up to rounding, relative to how far off they are."""
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)):
        return False
    gap = np.abs(one[finite] - other[finite]).max(initial=0.0)
    off = np.abs(one[finite] - exact[finite]).max(initial=0.0)
    near = _ROUNDING if off > LARGEST_DISTANCE else LARGEST_DISTANCE * off
    return bool(gap <= min(near, LARGEST_DISTANCE * off)) if off else not gap


@check("advice", needs_runs=True)
def advice(evidence: Evidence, findings: Findings) -> None:
    """Where np.allclose would accept a mistake, the advice says so."""
    for row, mistake in enumerate(evidence.known):
        errors = evidence.errors[row, evidence.core]
        if (
            errors.size
            and np.all(errors < _SMALL_ERROR)
            and not any(ALLCLOSE in line for line in mistake.advice)
        ):
            findings.error(
                f"{_at(mistake)}: advice",
                f"it is off by less than {_SMALL_ERROR:g} on every core case, and no line says "
                f"that {ALLCLOSE} would accept it and why it is wrong all the same",
            )


def _at(mistake: Mistake) -> str:
    return f"{FILE}: {mistake.id}"
