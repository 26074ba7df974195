"""The JSON form, which programs rely on."""

from __future__ import annotations

import json

import msgspec
import pytest

from judge.verdicts import Report
from tests.report.golden_files import check
from tests.report.reports import by_kind

KINDS = by_kind()

KEYS = [
    "format",
    "problem",
    "submission",
    "verdict",
    "score",
    "passed",
    "total",
    "isolation",
    "provenance",
    "time",
    "peak_memory_bytes",
    "notes",
    "cases",
    "diagnosis",
]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_outcome_is_the_document_of_its_golden_file(kind):
    document = json.loads(KINDS[kind][0].to_json())
    check(f"{kind}.json", json.dumps(document, indent=1) + "\n")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_can_be_read_back(kind):
    assert Report.from_json(KINDS[kind][0].to_json()) == KINDS[kind][0]


def test_the_keys_are_those_of_the_contract_in_their_order():
    assert list(json.loads(KINDS["accepted"][0].to_json())) == KEYS


def test_numbers_that_json_does_not_have_are_strings():
    data = KINDS["not-a-number"][0].to_json()
    error = json.loads(data, parse_constant=pytest.fail)["cases"][0]["error"]
    assert error["actual"] == "nan"
    assert error["absolute"] == "nan"


def test_what_is_no_report_is_refused():
    with pytest.raises(msgspec.ValidationError):
        Report.from_json(b'{"format": 1}')
