"""The table of docs/exports.md: what every target says of the same submissions.

`python -m tests.exports.table` runs them all again and writes it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from judge.authoring.export import Options, make
from judge.authoring.export.bundle import gather
from judge.authoring.sections import replace_section
from judge.problem import Problem
from tests.exports import systems

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = ROOT / "docs" / "exports.md"
SECTION = "verdicts"


def markdown(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return the table: a row for each of the twenty, a column for each system."""
    lines = [f"| submission | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    for name in systems.twenty():
        cells = " | ".join(verdicts.get(name, "?") for verdicts in columns.values())
        lines.append(f"| `{name}` | {cells} |")
    return "\n".join(lines)


def main() -> int:
    """Run the twenty on every target, say how long each took, and write the table."""
    bundle = gather(Problem.load(ROOT))
    sources = {known.path.removesuffix(".py"): known.source for known in bundle.known}
    twenty = {name: sources[name] for name in systems.twenty()}
    options = Options(pythons=(systems.container_python(),))
    columns = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)

        def measure(title: str, target: str, outcome) -> None:  # type: ignore[no-untyped-def]
            began = time.monotonic()
            columns[title] = outcome().verdicts
            print(f"{target}: {time.monotonic() - began:.0f} s", file=sys.stderr)

        measure("this judge", "own", lambda: systems.own(ROOT, twenty, folder / "own"))
        for target, system in (
            ("kattis-2023-07-draft", systems.problemtools),
            ("bapctools", systems.bapctools),
        ):
            package = make(bundle, target)
            measure(f"`{target}`", target, lambda p=package, s=system, t=target: s(p, folder / t))
        for target, system in (
            ("gradescope", systems.gradescope),
            ("prairielearn", systems.prairielearn),
            ("handout", systems.handout),
        ):
            package = make(bundle, target, options)
            measure(
                f"`{target}`", target,
                lambda p=package, s=system, t=target: s(p, folder / t, twenty),
            )  # fmt: skip
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(replace_section(text, SECTION, markdown(columns)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
