"""Results survive a kill at any moment; tables and summaries say what they hold."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.batch.results import Result, ResultFile, read_results
from judge.batch.rows import changed_verdicts, missing_from, page_name, row_of, write_csv
from judge.batch.summary import Summary, by_case, by_mistake, to_summary_page
from judge.verdicts import (
    CaseResult,
    Diagnosis,
    Isolation,
    Provenance,
    Reason,
    Report,
    Timing,
    Verdict,
)


def result(identity: str, *verdicts: str, mistakes: tuple[str, ...] = (), reason=None) -> Result:
    cases = [
        CaseResult(name=f"g/{'abcdefgh'[i]}", group="g", verdict=Verdict(v), reason=reason)
        for i, v in enumerate(verdicts)
    ]
    worst = next((v for v in verdicts if v not in ("AC", "not-run")), "AC")
    report = Report(
        problem="p",
        submission=identity,
        verdict=Verdict(worst),
        score=verdicts.count("AC") / len(verdicts),
        passed=verdicts.count("AC"),
        total=len(verdicts),
        isolation=Isolation(),
        provenance=Provenance(
            judge="1",
            bundle="sha256:b",
            source=f"sha256:{identity}",
            python="",
            numpy="",
            machine="",
        ),
        time=Timing(1.5),
        peak_memory_bytes=0,
        cases=cases,
        diagnosis=[
            Diagnosis(id=name, title=f"title of {name}", stage="s", advice="a") for name in mistakes
        ],
    )
    return Result(id=identity, path=f"{identity}.py", report=report)


def test_results_come_back_in_order(tmp_path):
    path = tmp_path / "results.jsonl"
    written = [result("ada", "AC"), result("bob", "WA", "AC")]
    with ResultFile(path) as file:
        for one in written:
            file.append(one)
    assert list(read_results(path)) == written


@given(cut=st.integers(1, 400))
def test_a_line_torn_anywhere_is_cut_off_and_nothing_else_is_lost(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("torn") / "results.jsonl"
    with ResultFile(path) as file:
        file.append(result("ada", "AC"))
        file.append(result("bob", "WA"))
    whole = path.read_bytes()
    torn = whole[: -min(cut, len(whole.splitlines()[1]))]
    path.write_bytes(torn)
    assert [r.id for r in read_results(path)] == ["ada"]
    with ResultFile(path) as file:
        file.append(result("cleo", "AC"))
    assert [r.id for r in read_results(path)] == ["ada", "cleo"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{}\n", "line 1: no result of a batch"),
        ("hello\n", "line 1: no result of a batch"),
    ],
)
def test_a_file_of_something_else_is_refused_with_its_line(tmp_path, line, message):
    path = tmp_path / "results.jsonl"
    path.write_text(line)
    with pytest.raises(ValueError, match=message):
        list(read_results(path))


def test_a_later_format_is_refused(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultFile(path) as file:
        file.append(result("ada", "AC"))
    path.write_bytes(path.read_bytes().replace(b'{"format":1', b'{"format":2', 1))
    with pytest.raises(ValueError, match="line 1: format 2, this judge reads format 1"):
        list(read_results(path))


def test_a_time_out_is_borderline_when_other_calls_were_in_time():
    slow = {"reason": Reason.CALL_TIME}
    assert row_of(result("a", "AC", "TLE", "AC", **slow)).borderline
    assert not row_of(result("a", "TLE", "TLE", "TLE", "not-run", **slow)).borderline
    assert not row_of(result("a", "TLE", "not-run", reason=Reason.IMPORT_TIME)).borderline
    assert not row_of(result("a", "AC", "WA", reason=Reason.VALUE)).borderline


def test_other_verdicts_than_before_are_listed_and_new_people_are_not():
    rows = [row_of(result(*one)) for one in (("ada", "AC"), ("bob", "WA"), ("cleo", "AC"))]
    assert changed_verdicts({"ada": "WA", "bob": "WA"}, rows) == [("ada", "WA", "AC")]


def test_who_is_missing_is_named_in_the_order_of_the_roster():
    assert missing_from(["zoe", "ada", "bob"], [row_of(result("ada", "AC"))]) == ["zoe", "bob"]


def test_a_spreadsheet_finds_no_formula_in_names_from_outside():
    file = io.StringIO()
    write_csv(file, [row_of(result("=1+1", "WA", mistakes=("pre-norm", "a+b")))])
    [header, line] = csv.reader(io.StringIO(file.getvalue()))
    assert header == ["id", "path", "verdict", "score", "passed", "total", "diagnosis", "time_s"]
    assert line == ["'=1+1", "'=1+1.py", "WA", "0.0000", "0", "1", "pre-norm a+b", "1.500"]


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_page_stays_in_its_folder_and_no_two_people_share_one(first, second):
    name = page_name(first)
    assert re.fullmatch(r"[^/\\.\x00]+\.html", name)
    assert (name == page_name(second)) == (first == second)


def test_the_summary_counts_by_case_and_by_mistake():
    rows = [
        row_of(result("ada", "AC", "WA", mistakes=("x+y",))),
        row_of(result("bob", "WA", "WA", mistakes=("y",))),
        row_of(result("<b>", "AC", "AC")),
    ]
    summary = Summary(
        "P", rows, ["g/a", "g/b"], {"y": "why & wherefore"}, missing=["zoe"], twins=[["ada", "bob"]]
    )
    assert by_case(summary) == [("g/a", 1), ("g/b", 2)]
    assert by_mistake(summary) == [("y", ["ada", "bob"]), ("x", ["ada"])]
    page = to_summary_page(summary).decode()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "why &amp; wherefore" in page
    assert "zoe" in page
    assert "http" not in page.replace("http-equiv", "")
