"""The table of test cases in docs/numerics.md, made from the manifest.

Run `python -m judge.authoring.case_table docs/numerics.md` to write it into that document.
"""

from __future__ import annotations

import sys
from pathlib import Path

from judge.authoring.sections import replace_section
from judge.problem import Problem
from judge.testcases import Manifest, load_manifest

SECTION = "cases"


def case_table(problem: Problem, manifest: Manifest) -> str:
    """Return a Markdown table: what each case shows, its shape, attempt, bound and precision."""
    first = next(p.name for p in problem.function.parameters if p.kind.is_array)
    lines = [
        f"| case | what it shows | shape of `{first}` | attempt | bound | bits |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for case in manifest.cases:
        shape = " × ".join(str(size) for size in case.shapes[first])
        lines.append(
            f"| `{case.name}` | {case.shows} | {shape} | {case.attempt} | {case.bound:.1e} "
            f"| {case.precision} |"
        )
    worst = max(case.bound for case in manifest.cases)
    lines += ["", f"{len(manifest.cases)} cases; the largest bound is {worst:.1e}."]
    return "\n".join(lines)


def render(text: str, problem: Problem) -> str:
    """Return the document with the table of today's manifest."""
    return replace_section(text, SECTION, case_table(problem, load_manifest(problem)))


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(render(path.read_text(encoding="utf-8"), Problem.find()), encoding="utf-8")
