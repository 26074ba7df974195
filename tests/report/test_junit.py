"""JUnit XML: what CI systems read, held to the elements and attributes of Jenkins' schema."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.report.junit import to_junit
from judge.verdicts import Diagnosis, Reason, Verdict
from tests.report.reports import accepted, by_kind, failed, report

KINDS = by_kind()

# junit-10.xsd of the xunit plugin: children and attributes that each element may have.
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase", "system-out", "system-err"},
    "properties": {"property"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
}
REQUIRED = {
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name"},
    "property": {"name", "value"},
}
ALLOWED = {
    "testsuite": {"time", "skipped", "timestamp", "hostname", "id", "package"},
    "testcase": {"time", "classname"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
}


def parse(document: bytes) -> ET.Element:
    root = ET.fromstring(document)
    assert root.tag == "testsuites"
    for element in root.iter():
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        required = REQUIRED.get(element.tag, set())
        assert required <= set(element.attrib) <= required | ALLOWED.get(element.tag, set())
    return root


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_the_cases(kind):
    suite = parse(to_junit([KINDS[kind][0]]))[0]
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases) == KINDS[kind][0].total
    for attribute, child in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(attribute)) == sum(c.find(child) is not None for c in cases)
    passed = [c for c in cases if c.find("failure") is c.find("error") is c.find("skipped") is None]
    assert len(passed) == KINDS[kind][0].passed


@pytest.mark.parametrize(
    ("verdict", "reason", "child"),
    [
        (Verdict.WA, Reason.VALUE, "failure"),
        (Verdict.TLE, Reason.CALL_TIME, "failure"),
        (Verdict.MLE, Reason.MEMORY, "failure"),
        (Verdict.OLE, Reason.OUTPUT, "failure"),
        (Verdict.RTE, Reason.EXCEPTION, "error"),
        (Verdict.CE, Reason.SYNTAX, "error"),
        (Verdict.JE, Reason.JUDGE, "error"),
        (Verdict.NOT_RUN, Reason.TIME_OUTS, "skipped"),
    ],
)
def test_a_verdict_is_the_element_that_viewers_expect(verdict, reason, child):
    case = parse(to_junit([report([failed("secret/x", verdict, reason, "what it is")])]))[0][1]
    assert case.find(child) is not None
    assert "what it is" in case.find(child).get("message")


def test_a_failure_tells_both_values():
    case = parse(to_junit([KINDS["scalar"][0]]))[0][1]
    assert "expected 6, got 7" in case.find("failure").get("message")


def test_several_submissions_are_several_suites():
    document = to_junit([report([accepted("sample/x")], submission=f"{i}.py") for i in range(3)])
    assert [suite.get("name") for suite in parse(document)] == ["0.py", "1.py", "2.py"]


hostile = st.text(st.characters(codec=None), max_size=60)


@given(message=hostile, output=hostile, name=hostile, step=hostile)
def test_whatever_a_submission_says_is_text_in_a_well_formed_document(message, output, name, step):
    bad = failed(
        "secret/x",
        Verdict.RTE,
        Reason.EXCEPTION,
        message,
        output=output,
        traceback=[step],
        exception=name,
    )
    finding = Diagnosis(id="x", title=message, stage="", advice=output)
    whole = report([bad], submission=name, notes=[message], diagnosis=[finding])
    root = parse(to_junit([whole]))
    assert len(root.findall("testsuite/testcase")) == 1


def test_control_characters_are_written_out():
    talking = failed("secret/x", Verdict.WA, Reason.TYPE, "None", output="\x1b[31mred\x00\ufffe]]>")
    case = parse(to_junit([report([talking])]))[0][1]
    assert case.find("system-out").text == "\\x1b[31mred\\x00\\ufffe]]>"
