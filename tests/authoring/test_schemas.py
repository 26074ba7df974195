"""docs/formats.md: its schemas are those of the types, its reader reads, its files fit."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from judge.authoring.schemas import FORMATS, render
from judge.authoring.sections import replace_section
from judge.testcases import load_cases
from tests.conftest import ROOT

DOCUMENT = ROOT / "docs" / "formats.md"


def test_the_document_holds_the_schemas_of_today():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert render(text) == text, "run: python -m judge.authoring.schemas docs/formats.md"
    assert text.count('"$schema"') == len(FORMATS)


def test_the_reader_in_ten_lines_reads_what_the_judge_reads(problem, monkeypatch):
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
    monkeypatch.chdir(ROOT)
    for name in ("sample/two-heads", "secret/sixty-four-features"):
        found: dict[str, object] = {}
        exec(code.replace("sample/two-heads", name), found)
        [case] = load_cases(problem, [name])
        arguments, expected = found["arguments"], found["expected"]
        for parameter, value in zip(problem.function.parameters, case.inputs, strict=True):
            assert np.array_equal(arguments[parameter.name], value)
        assert np.array_equal(expected, case.expected)


def test_a_section_is_replaced_between_its_markers():
    text = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
    once = replace_section(text, "x", "new\n")
    assert once == "a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n"
    assert replace_section(once, "x", "new") == once


@pytest.mark.parametrize("text", ["", "<!-- x:end --><!-- x:begin -->", "<!-- x:begin -->"])
def test_missing_markers_are_named(text):
    with pytest.raises(ValueError, match="<!-- x:begin --> and <!-- x:end -->"):
        replace_section(text, "x", "new")


def test_schemas_are_json(problem):
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert [json.loads(block)["title"] for block in blocks] == list(FORMATS)
