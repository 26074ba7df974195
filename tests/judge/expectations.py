"""`submissions/expected.yaml` of a bundle: what the judge must say of each submission."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from judge.faults import Faults, decode
from judge.verdicts import CaseResult, Reason, Report, Verdict
from judge.yamlfile import read_yaml


class Expectation(msgspec.Struct, frozen=True):
    """One line; the file explains its keys."""

    verdict: Verdict
    reason: Reason | None = None
    message: str = ""
    cases: int | str | None = None
    note: str = ""
    alone: Verdict | None = None
    export: bool = True


def read_expectations(bundle: Path) -> dict[str, Expectation]:
    """Read the file; raises BundleError."""
    faults = Faults("submissions/expected.yaml")
    value = read_yaml(bundle / "submissions" / "expected.yaml", faults)
    faults.raise_if_any()
    expectations: dict[str, Expectation] = decode(value, dict[str, Expectation], faults)
    faults.raise_if_any()
    return expectations


def submissions(bundle: Path) -> list[str]:
    """Return every submission by its path below `submissions/`, hostile ones left out."""
    folder = bundle / "submissions"
    names = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*.py"))
    return [name for name in names if not name.startswith("hostile/")]


def find(expectations: dict[str, Expectation], name: str) -> Expectation:
    """Return the first expectation whose pattern matches."""
    for pattern, expectation in expectations.items():
        if fnmatchcase(name, pattern):
            return expectation
    raise AssertionError(f"submissions/expected.yaml says nothing of {name}")


def first_failing(report: Report) -> CaseResult | None:
    """Return the first case, in the manifest's order, that was run and not accepted."""
    passed = (Verdict.AC, Verdict.NOT_RUN)
    return next((case for case in report.cases if case.verdict not in passed), None)


def check(report: Report, expected: Expectation) -> None:
    """Assert that a report says what is expected of it."""
    case = first_failing(report)
    assert report.verdict == expected.verdict, case
    assert (case.reason if case else None) == expected.reason, case
    assert expected.message in (case.message if case else ""), case
    if expected.note:
        assert any(expected.note in note for note in report.notes), report.notes
    if expected.cases is not None:
        wanted = report.total if expected.cases == "all" else expected.cases
        having = [case for case in report.cases if case.verdict == expected.verdict]
        others = {case.verdict for case in report.cases} - {expected.verdict}
        assert len(having) == wanted, [case.name for case in having]
        assert others <= {Verdict.AC, Verdict.NOT_RUN}
