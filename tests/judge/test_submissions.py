"""Every known submission gets the verdict, reason and message that expected.yaml says.

Through the command line, as people judge: one process for all that are quick, and one with shorter
time limits for those that hang.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from judge.verdicts import Report, Verdict
from tests.conftest import ROOT
from tests.judge.expectations import check, find, first_failing, read_expectations, submissions

TINY = ROOT / "tests" / "bundles" / "tiny"
FUNCTION_FILES = {ROOT: "encoder_block.py", TINY: "power_sum.py"}
EXPECTED = {bundle: read_expectations(bundle) for bundle in (ROOT, TINY)}
NAMES = [(bundle, name) for bundle in (ROOT, TINY) for name in submissions(bundle)]


def hangs(name: str) -> bool:
    return name.startswith("time_limit_exceeded/")


def judge_all(bundle: Path, names: list[str], *options: str) -> dict[str, Report]:
    files = [str(bundle / "submissions" / name) for name in names]
    command = [sys.executable, "-m", "judge", "run", "--format", "json", "--problem", str(bundle)]
    done = subprocess.run(
        [*command, *options, *files], capture_output=True, timeout=500, check=False
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(names), done.stderr.decode()[-2000:]
    return {name: Report.from_json(line) for name, line in zip(names, lines, strict=True)}


@pytest.fixture(scope="module")
def reports() -> dict[tuple[Path, str], Report]:
    found = {}
    for bundle in (ROOT, TINY):
        names = submissions(bundle)
        quick = [name for name in names if not hangs(name)]
        slow = [name for name in names if hangs(name)]
        done = judge_all(bundle, quick)
        if slow:
            done |= judge_all(bundle, slow, "--time-scale", "0.15")
        found |= {(bundle, name): report for name, report in done.items()}
    return found


@pytest.mark.parametrize(("bundle", "name"), NAMES, ids=[f"{b.name}-{n}" for b, n in NAMES])
def test_a_submission_gets_what_is_expected_of_it(
    bundle: Path, name: str, reports: dict[tuple[Path, str], Report]
) -> None:
    check(reports[bundle, name], find(EXPECTED[bundle], name))


@pytest.mark.parametrize("bundle", [ROOT, TINY], ids=["encoder-block", "tiny"])
def test_every_pattern_of_the_expectations_is_of_use(bundle: Path) -> None:
    unused = set(EXPECTED[bundle])
    for name in submissions(bundle):
        expectation = find(EXPECTED[bundle], name)
        unused -= {p for p, e in EXPECTED[bundle].items() if e is expectation}
    assert {pattern for pattern in unused if not pattern.startswith("hostile/")} == set()


def test_the_reference_is_accepted_far_within_the_tolerance() -> None:
    for bundle, file in FUNCTION_FILES.items():
        report = judge_all(bundle, [f"../reference/{file}"])[f"../reference/{file}"]
        assert report.verdict is Verdict.AC
        assert report.passed == report.total
        for case in report.cases:
            assert case.error is not None
            assert float(case.error.error_over_tolerance) <= 0.01


def test_the_starter_returns_none() -> None:
    for bundle, file in FUNCTION_FILES.items():
        report = judge_all(bundle, [f"../starter/{file}"])[f"../starter/{file}"]
        case = first_failing(report)
        assert report.verdict is Verdict.WA
        assert case is not None
        assert "returned None" in case.message
        assert report.passed == 0
