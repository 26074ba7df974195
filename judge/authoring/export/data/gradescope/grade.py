"""Grades a submission for Gradescope: `grade.py ROOT`, where ROOT is /autograder.

Results are in the form of https://gradescope-autograders.readthedocs.io/en/latest/specs/. When the
judge itself fails no results are written, so that Gradescope says so and nobody gets a zero for it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent
sys.path[:0] = [str(SOURCE), str(SOURCE / "packages")]

from grading import (  # type: ignore[import-not-found]  # noqa: E402, I001
    Graded, find_submission, grade, loading_fault, outcome, tell_staff, write,
)  # fmt: skip

from judge.problem import Problem  # noqa: E402
from judge.report import PUBLIC_GROUPS  # noqa: E402
from judge.verdicts import Verdict  # noqa: E402


def main() -> int:
    """Grade what lies in `submission/`, and write `results/results.json`."""
    root = Path(sys.argv[1])
    settings = json.loads((SOURCE / "settings.json").read_text(encoding="utf-8"))
    target = root / "results" / "results.json"
    bundle = SOURCE / "bundle"
    file = find_submission(root / "submission", Problem.load(bundle).function_file)
    if isinstance(file, str):
        write(target, not_graded(file))
        return 0
    graded = grade(bundle, file, settings["advice"])
    tell_staff(graded.report)
    if graded.report.verdict is Verdict.JE:
        print(graded.text)  # noqa: T201
        return 1
    fault = loading_fault(graded.report)
    write(target, not_graded(fault) if fault else results(graded, settings))
    return 0


def not_graded(fault: str) -> dict[str, Any]:
    """Return the results for a file that could not be loaded: nothing was run."""
    text = f"Not graded: the file could not be loaded.\n\n{fault}\n\nMend that and hand in again."
    return {
        "score": 0,
        "output": text,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }


def results(graded: Graded, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a submission that was run."""
    report = graded.report
    total = sum(graded.weights[case.group] for case in report.cases)
    worth = settings["points"] / total
    tests = []
    for case in report.cases:
        points = worth * graded.weights[case.group]
        passed = case.verdict is Verdict.AC
        public = case.group in PUBLIC_GROUPS
        printed = f"\n\nprinted:\n{case.output}" if case.output else ""
        tests.append(
            {
                "name": case.name,
                "name_format": "text",
                "score": points if passed else 0,
                "max_score": points,
                "status": "passed" if passed else "failed",
                "output": outcome(case) + printed,
                "output_format": "text",
                "visibility": "visible" if public else settings["secret_visibility"],
            }
        )
    return {
        "score": settings["points"] * report.score,
        "execution_time": round(report.time.wall_s),
        "output": graded.text,
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"verdict": report.verdict, "isolation": report.isolation.proved},
        "tests": tests,
    }


if __name__ == "__main__":
    sys.exit(main())
