"""The tolerance ladder: what each tolerance would let through, and whom it would reject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.authoring.sections import replace_section
from judge.authoring.verify.evidence import Accepted, Evidence

EXPONENTS = range(2, 14)
SECTION = "ladder"
DOCUMENT = "docs/numerics.md"
_MOST_NAMES = 8


@dataclass(frozen=True)
class Rung:
    """One tolerance, absolute and relative alike.

    Args:
        tolerance: the tolerance.
        survivors: ids of the mistakes that it accepts.
        caught: those that the rung above accepts and this one rejects.
        double_fall: right submissions in double precision that it rejects.
        single_fall: right submissions in single precision that it rejects.
        single_newly: those of them that the rung above accepts.
    """

    tolerance: float
    survivors: list[str]
    caught: list[str]
    double_fall: list[str]
    single_fall: list[str]
    single_newly: list[str]


def ladder(evidence: Evidence) -> list[Rung]:
    """Return the rungs from 1e-2 down to 1e-13."""
    worst = dict(
        zip(
            (mistake.id for mistake in evidence.known),
            evidence.errors.max(axis=1, initial=0.0).tolist(),
            strict=True,
        )
    )
    rungs: list[Rung] = []
    for exponent in EXPONENTS:
        tolerance = float(f"1e-{exponent}")
        survivors = [name for name, error in worst.items() if error <= tolerance]
        above = rungs[-1].survivors if rungs else list(worst)
        single = _fall(evidence.single, tolerance)
        before = rungs[-1].single_fall if rungs else []
        rungs.append(
            Rung(
                tolerance=tolerance,
                survivors=survivors,
                caught=[name for name in above if name not in survivors],
                double_fall=_fall(evidence.accepted, tolerance),
                single_fall=single,
                single_newly=[name for name in single if name not in before],
            )
        )
    return rungs


def _fall(submissions: Sequence[Accepted], tolerance: float) -> list[str]:
    return [s.name for s in submissions if s.largest_error > tolerance]


def as_markdown(evidence: Evidence, rungs: Sequence[Rung]) -> str:
    """Return the ladder as a table, for `docs/numerics.md`."""
    double, single = len(evidence.accepted), len(evidence.single)
    lines = [
        f"Of {len(evidence.known)} known mistakes, the number that each tolerance would accept; of "
        f"{double} right programs in float64, and of {single} of them run in float32, the number "
        "that it would reject.",
        "",
        "| tolerance | mistakes accepted | rejected from here on | float64 rejected "
        "| float32 rejected |",
        "| --- | ---: | --- | ---: | ---: |",
    ]
    lines += [
        f"| {_power(rung.tolerance)} | {len(rung.survivors)} | {_names(rung.caught)} "
        f"| {len(rung.double_fall)} | {len(rung.single_fall)} |"
        for rung in rungs
    ]
    return "\n".join(lines)


def _names(ids: Sequence[str]) -> str:
    if len(ids) > _MOST_NAMES:
        return f"{len(ids)} mistakes"
    return ", ".join(ids)


def _power(tolerance: float) -> str:
    return f"{tolerance:.0e}".replace("e-0", "e-")


def write_document(folder: Path, table: str) -> bool:
    """Put the table into the documentation, where that has a place for it.

    Returns:
        Whether the document changed.
    """
    path = folder / DOCUMENT
    try:
        text = path.read_text(encoding="utf-8")
        changed = replace_section(text, SECTION, table)
    except (FileNotFoundError, ValueError):
        return False
    if changed != text:
        path.write_text(changed, encoding="utf-8")
    return changed != text
