"""`kills.json`: which case rejects which mistake, and by how much, for programs."""

from __future__ import annotations

from judge.authoring.verify import Verification
from judge.authoring.verify.evidence import Accepted, Evidence
from judge.problem import bundle_digest
from judge.verdicts import Number, number

KILLS_FORMAT = 1
_DIGITS = 3


def as_document(verification: Verification) -> dict[str, object]:
    """Return the document; every number is an error over the tolerance unless it says otherwise.

    Args:
        verification: with evidence.
    """
    evidence = verification.evidence
    if evidence is None:
        raise ValueError("nothing was measured of a bundle that can't be read")
    names = [case.name for case in evidence.cases]
    return {
        "format": KILLS_FORMAT,
        "problem": evidence.problem.slug,
        "bundle": bundle_digest(evidence.problem.folder),
        "tolerance": {
            "absolute": evidence.problem.tolerance.absolute,
            "relative": evidence.problem.tolerance.relative,
        },
        "cases": names,
        "mistakes": [_mistake(evidence, row) for row in range(len(evidence.known))],
        "accepted": [_accepted(submission) for submission in evidence.accepted],
        "ladder": [
            {
                "tolerance": rung.tolerance,
                "mistakes_accepted": rung.survivors,
                "float64_rejected": rung.double_fall,
                "float32_rejected": rung.single_fall,
            }
            for rung in verification.rungs
        ],
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity,
                "where": finding.where,
                "message": finding.message,
            }
            for finding in verification.findings.found
        ],
    }


def _mistake(evidence: Evidence, row: int) -> dict[str, object]:
    mistake, margins = evidence.known[row], evidence.margins[row]
    best = int(margins.argmax())
    return {
        "id": mistake.id,
        "title": mistake.title,
        "stage": mistake.stage,
        "same_as": mistake.same_as,
        "rejected_by": [
            case.name for case, margin in zip(evidence.cases, margins, strict=True) if margin > 1
        ],
        "best": _short(float(margins[best])),
        "best_case": evidence.cases[best].name,
        "margins": [_short(float(margin)) for margin in margins],
    }


def _accepted(submission: Accepted) -> dict[str, object]:
    worst = max(submission.errors, key=lambda name: submission.errors[name], default=None)
    return {
        "file": submission.name,
        "verdict": submission.verdict,
        "worst": _short(submission.errors[worst]) if worst else None,
        "worst_case": worst,
        "slowest_s": round(submission.slowest, 6),
    }


def _short(value: float) -> Number:
    """Round to three digits: what is behind them differs from machine to machine."""
    return number(float(f"{value:.{_DIGITS - 1}e}"))
