"""Grades a submission for PrairieLearn: `grade.py ROOT PACKAGES`, where ROOT is /grade.

Results are in the form of https://prairielearn.readthedocs.io/en/latest/externalGrading/. What
could not be loaded is not gradable and costs no attempt; neither does a fault of the judge.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS), sys.argv[2]]

from grading import (  # type: ignore[import-not-found]  # noqa: E402, I001
    Graded, find_submission, grade, loading_fault, outcome, tell_staff, write,
)  # fmt: skip

from judge.problem import Problem  # noqa: E402
from judge.verdicts import Verdict  # noqa: E402


def main() -> int:
    """Grade what lies in `student/`, and write `results/results.json`."""
    root = Path(sys.argv[1])
    target = root / "results" / "results.json"
    bundle = TESTS / "bundle"
    file = find_submission(root / "student", Problem.load(bundle).function_file)
    if isinstance(file, str):
        write(target, not_gradable(file))
        return 0
    graded = grade(bundle, file)
    tell_staff(graded.report)
    if graded.report.verdict is Verdict.JE:
        print(graded.text)  # noqa: T201
        return 1
    fault = loading_fault(graded.report)
    write(target, not_gradable(fault) if fault else results(graded))
    return 0


def not_gradable(fault: str) -> dict[str, Any]:
    """Return the results for a file that could not be loaded."""
    return {"gradable": False, "format_errors": [fault]}


def results(graded: Graded) -> dict[str, Any]:
    """Return the results of a submission that was run."""
    report = graded.report
    tests = []
    for case in report.cases:
        weight = graded.weights[case.group]
        test = {
            "name": case.name,
            "points": weight if case.verdict is Verdict.AC else 0,
            "max_points": weight,
            "message": outcome(case),
            "output": case.output,
        }
        if case.name in graded.shows:
            test["description"] = graded.shows[case.name]
        tests.append(test)
    return {
        "gradable": True,
        "score": report.score,
        "message": f"{report.verdict}: {report.verdict.meaning}",
        "output": graded.text,
        "tests": tests,
    }


if __name__ == "__main__":
    sys.exit(main())
