"""Judges one submission inside a container; what both graders share.

The judge runs here, the submission in a process of its own that the judge has jailed. Nothing that
a submission prints comes near the results: they are written by this process, at the end.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from judge.diagnosis import diagnose
from judge.problem import Problem
from judge.report import PUBLIC_GROUPS, Audience, for_audience
from judge.report.text import TextStyle, to_text
from judge.runner import Judge
from judge.testcases import load_manifest
from judge.verdicts import CaseResult, Report, Verdict

WIDTH = 90
LONGEST = 2000
LARGEST_RESULTS = 900_000
"""Bytes; PrairieLearn takes a megabyte."""


@dataclass(frozen=True)
class Graded:
    """A judged submission.

    Args:
        report: reduced to what learners may see.
        text: the same for people.
        weights: points of a case by its group.
        shows: what each public case shows, by name.
    """

    report: Report
    text: str
    weights: dict[str, float]
    shows: dict[str, str]


def find_submission(folder: Path, wanted: str) -> Path | str:
    """Return the file to judge, or a sentence that says why there is none.

    Args:
        folder: what the learner handed in.
        wanted: the name that the file should have.
    """
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [path for path in files if not path.name.startswith(".")]
    named = [path for path in files if path.name == wanted]
    python = [path for path in files if path.suffix == ".py"]
    for choice in (named, python, files):
        if len(choice) == 1:
            return choice[0]
    if not files:
        return f"No file was handed in. Hand in one file, {wanted}."
    names = ", ".join(path.name[:80] for path in files[:5])
    return f"Hand in one file, {wanted}; there are {len(files)}: {names}"


def grade(bundle: Path, file: Path, advice: str = "gentle") -> Graded:
    """Judge a file on every case.

    Args:
        bundle: the problem's folder.
        file: the submission.
        advice: how much the diagnosis gives away: gentle, clear or explicit.
    """
    problem = Problem.load(bundle)
    shows = {e.name: e.shows for e in load_manifest(problem).cases if e.group in PUBLIC_GROUPS}
    with Judge(problem) as judge:
        execution = judge.execute(file, name=file.name)
        found = diagnose(judge, execution, advice)  # type: ignore[arg-type]
    report = msgspec.structs.replace(execution.report, diagnosis=found)
    source = execution.source.decode("utf-8", "replace")
    report = for_audience(report, Audience.LEARNER, lines=len(source.splitlines()))
    text = to_text(report, source, TextStyle(width=WIDTH, advice=advice, shows=shows))
    return Graded(report, text, problem.weights, shows)


def loading_fault(report: Report) -> str | None:
    """Return why a file could not be loaded, or None when it could."""
    if report.verdict is not Verdict.CE:
        return None
    return next(case.message for case in report.cases if case.verdict is Verdict.CE)


def outcome(case: CaseResult) -> str:
    """Return what came of a case in one line."""
    meaning = f"{case.verdict}: {case.verdict.meaning}"
    return f"{meaning}. {case.message}"[:LONGEST] if case.message else meaning


def tell_staff(report: Report) -> None:
    """Print what learners are not shown: what isolated the submission, and what judged it."""
    missing = {"answers-unreadable", "no-network", "no-survivors", "judge-unreachable"}
    missing -= set(report.isolation.proved)
    if missing:
        print(f"NOT PROVED in this container: {', '.join(sorted(missing))}")  # noqa: T201
    for title, facts in (("isolation", report.isolation), ("provenance", report.provenance)):
        print(f"{title}: {msgspec.json.encode(facts).decode()}")  # noqa: T201
    print(f"verdict: {report.verdict}, {report.passed} of {report.total}")  # noqa: T201


def write(path: Path, results: dict[str, Any]) -> None:
    """Write results whole or not at all, without printed output where they are too large."""
    for key in ("output", "message"):
        if len(json.dumps(results)) <= LARGEST_RESULTS:
            break
        for test in results.get("tests", []):
            test.pop(key, None)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    fresh.write_text(json.dumps(results, allow_nan=False) + "\n", encoding="utf-8")
    fresh.replace(path)
