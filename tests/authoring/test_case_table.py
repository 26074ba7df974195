"""docs/numerics.md lists the cases of the manifest, and its figures about them are true."""

from __future__ import annotations

import re

import numpy as np

from judge.authoring.case_table import render
from judge.authoring.modules import load_function
from judge.testcases import load_cases, load_manifest
from tests.conftest import ROOT

DOCUMENT = ROOT / "docs" / "numerics.md"


def test_the_table_is_that_of_the_manifest(problem):
    text = DOCUMENT.read_text(encoding="utf-8")
    wanted = "run: python -m judge.authoring.case_table docs/numerics.md"
    assert render(text, problem) == text, wanted
    assert len(re.findall(r"^\| `", text, re.MULTILINE)) >= len(load_manifest(problem).cases)


def test_the_numpy_reference_is_two_hundred_times_below_the_tolerance(problem):
    function = load_function(problem, "reference/encoder_block.py")
    worst, nearest, elements = 0.0, 0, 0
    for case in load_cases(problem):
        values = function(*case.inputs)
        errors = np.abs(values - case.expected) / (1 + np.abs(case.expected))
        worst = max(worst, float(errors.max()))
        nearest += int(np.count_nonzero(values == case.expected))
        elements += values.size
    assert 0 < worst < 1e-14
    text = DOCUMENT.read_text(encoding="utf-8").replace(",", "")
    assert f"of the {elements} elements" in text
    # Another BLAS kernel gives another count: what the text claims is that most are not nearest.
    assert nearest < elements / 2


def test_small_set(problem):
    size = sum(path.stat().st_size for path in (ROOT / "testcases").rglob("*.json"))
    assert size < 2_000_000
