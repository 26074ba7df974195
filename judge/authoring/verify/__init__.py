"""Verify a bundle: every mistake rejected by its margin, no right solution near the tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from judge.authoring.verify import checks as _checks  # noqa: F401 (registers the checks)
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.gather import Progress, load_parts, run_all
from judge.authoring.verify.ladder import Rung, ladder
from judge.authoring.verify.registry import CHECKS
from judge.problem import Problem

__all__ = ["Verification", "verify"]


@dataclass(frozen=True)
class Verification:
    """The outcome of a verification.

    Args:
        evidence: what was measured; None when a part of the bundle is broken.
        findings: what was found.
        rungs: the tolerance ladder.
    """

    evidence: Evidence | None
    findings: Findings
    rungs: list[Rung]


def verify(
    problem: Problem, *, static: bool = False, progress: Progress = lambda what: None
) -> Verification:
    """Check a bundle.

    Args:
        problem: the bundle.
        static: run nothing: only the checks that need no results.
        progress: told what is being run.

    Raises:
        VariantsError: the mistakes could not be run.
        SandboxError: no process could be started.
    """
    findings = Findings()
    evidence = load_parts(problem, findings)
    if evidence is None:
        return Verification(None, findings, [])
    if not static:
        evidence = run_all(evidence, progress)
    for check in CHECKS:
        if not (static and check.needs_runs):
            progress(f"check {check.name}")
            check.run(evidence, findings.under(check.name))
    if static:
        return Verification(evidence, findings, [])
    return Verification(evidence, findings, ladder(evidence))
