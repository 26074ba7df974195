"""Checks of the known submissions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from judge.authoring.export.known import EXPECTED
from judge.authoring.verify.checks.bundle import LONGEST_TIME_LIMIT
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.registry import check
from judge.faults import Faults
from judge.problem import PROBLEM_FILE
from judge.verdicts import Verdict
from judge.yamlfile import read_yaml

FOLDER = "submissions"


@check("expectations")
def expectations(evidence: Evidence, findings: Findings) -> None:
    """Every known submission has an expectation, and every expectation a submission."""
    folder = evidence.problem.folder / FOLDER
    faults = Faults(EXPECTED)
    patterns = read_yaml(folder.parent / EXPECTED, faults)
    findings.faults(faults.found)
    if not isinstance(patterns, dict):
        return
    names = list(_submissions(folder))
    for name in names:
        if not any(fnmatchcase(name, pattern) for pattern in patterns):
            findings.error(f"{FOLDER}/{name}", f"{EXPECTED} does not say what must come of it")
    for pattern in patterns:
        taken = [name for name in names if _first(name, patterns) == pattern]
        if not taken:
            findings.error(f"{EXPECTED}: {pattern}", "matches no submission that is left for it")


def _submissions(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        if "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix()


def _first(name: str, patterns: Iterable[str]) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(name, pattern)), None)


@check("accepted-margin", needs_runs=True)
def accepted_margin(evidence: Evidence, findings: Findings) -> None:
    """Every right submission is accepted, and is far from the tolerance on the core."""
    demanded = evidence.problem.verify.accepted_margin
    core = [evidence.cases[i].name for i in evidence.core]
    for submission in evidence.accepted:
        if submission.verdict is not Verdict.AC:
            findings.error(
                submission.name,
                f"must be accepted, and gets {submission.verdict}: {submission.why}",
            )
            continue
        errors = {name: submission.errors[name] for name in core if name in submission.errors}
        worst = max(errors, key=lambda name: errors[name], default=None)
        if worst is not None and errors[worst] * demanded > 1:
            findings.error(
                submission.name,
                f"on {worst} its error is 1/{1 / errors[worst]:.0f} of the tolerance, allowed is "
                f"1/{demanded:g}",
            )
    if not evidence.accepted:
        findings.error(f"{FOLDER}/accepted", "there is no submission that must be accepted")


@check("time-limit", needs_runs=True)
def time_limit(evidence: Evidence, findings: Findings) -> None:
    """The time limit leaves slow but right submissions room, and nobody waits for ever."""
    limit = evidence.problem.limits.time_limit
    where = f"{PROBLEM_FILE}: limits.time_limit"
    if limit > LONGEST_TIME_LIMIT:
        findings.error(where, f"{limit:g} s is over {LONGEST_TIME_LIMIT:g} s: nobody waits so long")
    slowest = max(evidence.accepted, key=lambda submission: submission.slowest, default=None)
    factor = evidence.problem.verify.time_factor
    if slowest is not None and limit < factor * slowest.slowest:
        findings.warning(
            where,
            f"{limit:g} s is {limit / slowest.slowest:.1f} times the slowest call of "
            f"{slowest.name} here ({slowest.slowest:.3f} s), demanded is {factor:g} times; "
            "machines differ, so measure again when nothing else runs",
        )
