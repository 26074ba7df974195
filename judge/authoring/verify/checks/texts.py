"""Checks that the texts say what the data say."""

from __future__ import annotations

from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.registry import check
from judge.faults import BundleError
from judge.mistakes import FILE as MISTAKES


@check("texts")
def texts(evidence: Evidence, findings: Findings) -> None:
    """The statement and the theory page are what `judge statement` would write."""
    from judge.authoring.statement import render, stale

    problem = evidence.problem
    if not list((problem.folder / "generator").glob("*.md.j2")):
        return
    try:
        for path in stale(problem, render(problem)):
            findings.error(
                path, "the text is older than the data; render it again: judge statement"
            )
    except BundleError as error:
        findings.faults(error.faults)


@check("counterexamples", needs_runs=True)
def counterexamples(evidence: Evidence, findings: Findings) -> None:
    """Every mistake that is rejected has a public counterexample."""
    from judge.counterexamples import counterexample_names

    if not evidence.known:
        return
    names = counterexample_names(evidence.problem)
    for mistake, best in zip(evidence.known, evidence.best, strict=True):
        if best > 1 and mistake.id not in names and not mistake.below_tolerance:
            findings.error(
                f"{MISTAKES}: {mistake.id}", "has no counterexample; make it: judge generate"
            )
    for name in sorted(names - {mistake.id for mistake in evidence.known}):
        findings.error("testcases/counterexamples.json", f'"{name}" is no known mistake')
