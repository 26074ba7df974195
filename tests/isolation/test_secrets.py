"""What a submission learns from secret inputs stays out of everything that a learner is shown."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from judge.problem import Problem
from judge.report import for_audience
from judge.report.html import to_html
from judge.report.junit import to_junit
from judge.report.text import TextStyle, to_text
from judge.runner import Judge
from judge.testcases import TestCase, load_cases
from judge.verdicts import Report
from tests.conftest import ROOT
from tests.isolation import attacks

pytestmark = pytest.mark.isolation

TELLING = [name for name in attacks.names() if name.startswith("reach_the_answers/carry_out")]


@pytest.fixture(scope="module")
def peculiar() -> list[TestCase]:
    """Cases whose secret inputs have so many digits that none of them is anywhere by chance."""
    generator = np.random.default_rng(4)
    cases = []
    for case in load_cases(Problem.load(ROOT))[:12]:
        first, *others = case.inputs
        if case.group != "sample":
            first = generator.normal(size=first.shape)
        cases.append(TestCase.of(case.name, case.group, case.tags, (first, *others), case.expected))
    return cases


@pytest.fixture(scope="module")
def judge(peculiar: list[TestCase]) -> Iterator[Judge]:
    with Judge(Problem.load(ROOT), cases=peculiar) as judge:
        yield judge


def secret_digits(cases: list[TestCase]) -> list[str]:
    """Return the first six digits of the secret inputs: enough to tell one from another."""
    values = [v for c in cases if c.group != "sample" for v in np.ravel(c.inputs[0])[:4].tolist()]
    return [
        repr(abs(value)).replace("0.", "", 1).lstrip("0").replace(".", "")[:6] for value in values
    ]


def renderings(report: Report, source: str) -> dict[str, str]:
    return {
        "text": to_text(report, source, TextStyle(verbose=True)),
        "json": report.to_json().decode(),
        "junit": to_junit([report]).decode(),
        "html": to_html(report, source).decode(),
    }


@pytest.mark.parametrize("name", TELLING)
def test_no_secret_input_is_in_a_learners_report(
    name: str, judge: Judge, peculiar: list[TestCase]
) -> None:
    source = (attacks.HOSTILE / f"{name}.py").read_text()
    report = judge.run(source)
    digits = secret_digits(peculiar)
    learner = for_audience(report, "learner", lines=source.count("\n") + 1)
    for form, text in renderings(learner, source).items():
        plain = text.replace(".", "")
        assert not [number for number in digits if number in plain], form
    # The author's report does hold them, or this test would not have tried anything.
    by_time = ("carry_out_by_file_name", "carry_out_by_line", "carry_out_by_field_name")
    if not name.endswith(by_time):
        author = report.to_json().decode().replace(".", "")
        assert [number for number in digits if number in author]
