"""What verification found, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from judge.authoring.verify import Verification
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.registry import CHECKS
from judge.mistakes import PRECISION
from judge.report.writing import brief, count


def to_text(verification: Verification, *, verbose: bool = False) -> str:
    """Return the summary: margins, cases, the tolerance ladder, and every finding.

    Args:
        verification: the outcome.
        verbose: whether every mistake gets a line.
    """
    evidence = verification.evidence
    lines: list[str] = []
    if evidence is not None and evidence.results:
        lines += [*_margins(evidence), "", *_stages(evidence), ""]
        if verbose:
            lines += [*_mistakes(evidence), ""]
        lines += [*_cases(evidence), "", *_rungs(verification), ""]
    lines += _findings(verification)
    return "\n".join(lines) + "\n"


def _margins(evidence: Evidence) -> Iterator[str]:
    yield (
        f"{count(len(evidence.known), 'known mistake')} on {count(len(evidence.cases), 'case')}; "
        f"{count(len(evidence.accepted), 'right submission')}"
    )
    rejected = [row for row, m in enumerate(evidence.known) if not m.below_tolerance]
    for what, rows in (
        ("structural", [r for r in rejected if evidence.known[r].stage != PRECISION]),
        ("precision", [r for r in rejected if evidence.known[r].stage == PRECISION]),
    ):
        if rows:
            least = min(rows, key=lambda row: evidence.best[row])
            yield (
                f"  smallest margin, {what} mistakes: {brief(float(evidence.best[least]))} times "
                f"the tolerance ({evidence.known[least].id})"
            )
    for row, mistake in enumerate(evidence.known):
        if mistake.below_tolerance:
            yield f"  below the tolerance on purpose: {mistake.id} ({evidence.best[row]:.2g})"
    worst, where, who = _nearest(evidence)
    if worst:
        yield f"  largest error of a right submission: 1/{1 / worst:.0f} of it ({who} on {where})"
    hidden = [m.id for m in evidence.known if m.not_in_samples]
    yield f"  the samples alone show all structural mistakes but {len(hidden)}, which say so"
    named = evidence.named
    if named is not None and named.mistakes:
        yield (
            f"  the diagnosis names {named.unique} of {count(named.mistakes, 'mistake')} alone; of "
            f"{count(named.pairs, 'likely pair')} {named.unique_pairs} alone, and "
            f"{named.like_one} look like one mistake"
        )


def _nearest(evidence: Evidence) -> tuple[float, str, str]:
    """Return the largest error over tolerance of the accepted submissions, and where it is."""
    errors: list[tuple[float, str, str]] = [
        (error, name, submission.name)
        for submission in evidence.accepted
        for name, error in submission.errors.items()
    ]
    return max(errors) if errors else (0.0, "", "")


def _stages(evidence: Evidence) -> Iterator[str]:
    yield f"{'stage':<14} {'mistakes':>8} {'smallest margin':>16}   of"
    for stage in dict.fromkeys(mistake.stage for mistake in evidence.known):
        rows = [r for r, m in enumerate(evidence.known) if m.stage == stage]
        kept = [r for r in rows if not evidence.known[r].below_tolerance]
        least = min(kept, key=lambda row: evidence.best[row])
        margin = brief(float(evidence.best[least]))
        yield f"{stage:<14} {len(rows):>8} {margin:>16}   {evidence.known[least].id}"


def _mistakes(evidence: Evidence) -> Iterator[str]:
    yield f"{'mistake':<34} {'margin':>8} {'cases':>6}   best case"
    for row, mistake in enumerate(evidence.known):
        margins = evidence.margins[row]
        best = int(margins.argmax())
        kills = int(np.count_nonzero(margins > 1))
        yield (
            f"{mistake.id:<34} {brief(float(margins[best])):>8} {kills:>6}   "
            f"{evidence.cases[best].name}"
        )


def _cases(evidence: Evidence) -> Iterator[str]:
    kills = evidence.margins > 1
    alone = kills & (kills.sum(axis=1, keepdims=True) == 1)
    yield f"{'case':<40} {'rejects':>8} {'alone':>6}   largest error of a right submission"
    for column, case in enumerate(evidence.cases):
        errors = [s.errors[case.name] for s in evidence.accepted if case.name in s.errors]
        largest = max(errors, default=0.0)
        worst = f"1/{1 / largest:.0f} of the tolerance" if largest else "none"
        yield (
            f"{case.name:<40} {int(kills[:, column].sum()):>8} {int(alone[:, column].sum()):>6}"
            f"   {worst}"
        )


def _rungs(verification: Verification) -> Iterator[str]:
    evidence = verification.evidence
    double, single = (len(evidence.accepted), len(evidence.single)) if evidence else (0, 0)
    yield (
        f"{'tolerance':<10} {'mistakes accepted':>18} {f'float64 rejected of {double}':>24} "
        f"{f'float32 rejected of {single}':>24}"
    )
    for rung in verification.rungs:
        yield (
            f"{rung.tolerance:<10.0e} {len(rung.survivors):>18} {len(rung.double_fall):>24} "
            f"{len(rung.single_fall):>24}"
        )


def _findings(verification: Verification) -> Iterator[str]:
    found = verification.findings
    yield from (str(finding) for finding in found.found)
    ran = len(CHECKS) if verification.rungs else sum(not check.needs_runs for check in CHECKS)
    errors = count(len(found.errors), "error")
    warnings = count(len(found.found) - len(found.errors), "warning")
    if verification.evidence is None:
        yield f"{errors}: nothing more can be checked before they are gone"
    else:
        yield f"{count(ran, 'check')}: {errors}, {warnings}"
