"""Reports on submissions that never came to be run."""

from __future__ import annotations

import hashlib
import platform

from judge import __version__
from judge.batch.jobs import Job, Judged
from judge.problem import Problem, bundle_digest
from judge.testcases import load_manifest
from judge.verdicts import (
    CaseResult,
    Isolation,
    Provenance,
    Reason,
    Report,
    Timing,
    Verdict,
)


def judge_error(problem: Problem, job: Job, why: str) -> Judged:
    """Return a report that says that the judge failed, with JE on every case."""
    message = f"the judge failed, not the submission: {why}"
    return Judged(_report(problem, job.name, job.source, Verdict.JE, Reason.JUDGE, message))


def unreadable(problem: Problem, path: str, why: str) -> Judged:
    """Return a report on a file that can't be read, such as an encrypted member of a zip."""
    return Judged(_report(problem, path, b"", Verdict.CE, Reason.BINARY, f"{path}: {why}"))


def _report(
    problem: Problem, name: str, source: bytes, verdict: Verdict, reason: Reason, message: str
) -> Report:
    cases = [
        CaseResult(
            name=entry.name, group=entry.group, verdict=verdict, reason=reason, message=message
        )
        for entry in load_manifest(problem).cases
    ]
    return Report(
        problem=problem.slug,
        submission=name,
        verdict=verdict,
        score=0.0,
        passed=0,
        total=len(cases),
        isolation=Isolation(),
        provenance=Provenance(
            judge=__version__,
            bundle=bundle_digest(problem.folder),
            source=f"sha256:{hashlib.sha256(source).hexdigest()}",
            python=platform.python_version(),
            numpy="",
            machine=platform.machine(),
        ),
        time=Timing(),
        peak_memory_bytes=0,
        cases=cases,
    )
