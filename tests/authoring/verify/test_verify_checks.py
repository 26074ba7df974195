"""`judge verify`: every check with something that breaks it, and the message it must give."""

from __future__ import annotations

import pytest

from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.registry import CHECKS
from tests.authoring.verify.broken_bundle import BUNDLE
from tests.authoring.verify.broken_cases import CASES
from tests.authoring.verify.broken_mistakes import KNOWN_MISTAKES

BROKEN = [*BUNDLE, *CASES, *KNOWN_MISTAKES]


def run_check(name: str, evidence: Evidence) -> list[str]:
    findings = Findings()
    (check,) = [check for check in CHECKS if check.name == name]
    check.run(evidence, findings.under(name))
    return [str(finding) for finding in findings.found]


@pytest.mark.parametrize(
    ("name", "change", "messages"),
    BROKEN,
    ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(BROKEN)],
)
def test_a_check_finds_what_is_broken_and_says_so(measured, bundle, name, change, messages):
    before = run_check(name, measured)
    after = run_check(name, change(measured, bundle))
    found = [finding for finding in after if finding not in before]
    assert found == [f"{message} [{name}]" for message in messages]


def test_every_check_has_something_that_breaks_it():
    assert {name for name, _, _ in BROKEN} == {check.name for check in CHECKS}


def test_every_check_says_what_it_guards():
    assert all(check.guards.endswith(".") for check in CHECKS)


@pytest.mark.parametrize("check", [c.name for c in CHECKS if c.name not in ("up-to-date", "texts")])
def test_this_repository_passes_every_check(measured, check):
    found = run_check(check, measured)
    assert [line for line in found if line.startswith("error")] == []
