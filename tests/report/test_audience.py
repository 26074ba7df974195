"""A learner sees samples in full, and nothing of a secret case that could hold its data."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.report import Audience, for_audience
from judge.report.details import case_details
from judge.report.html import to_html
from judge.report.junit import to_junit
from judge.report.text import TextStyle, to_text
from judge.testcases import load_cases
from judge.verdicts import CaseResult, Diagnosis, Evidence, Reason, Report, Timing, Verdict
from tests.report.reports import accepted, difference, failed, report

SECRET = "0.8675309"


def leaky(
    name: str, verdict: Verdict = Verdict.RTE, reason: Reason = Reason.EXCEPTION
) -> CaseResult:
    """A case whose every free field holds a secret input."""
    return failed(
        name,
        verdict,
        reason,
        f"ValueError in line 2: {SECRET}",
        exception=f"submission.E{SECRET}",
        line=2,
        traceback=[f"line 2: raise {SECRET}"],
        output=f"UserWarning: {SECRET}\n",
        time_s=float(SECRET),
        error=difference(float(SECRET), float(SECRET) + 1),
    )


def all_formats(whole: Report) -> str:
    texts = [
        to_text(whole, "a\nb\nc", TextStyle(verbose=True)),
        to_junit([whole]).decode(),
        to_html(whole, "a\nb\nc").decode(),
        whole.to_json().decode(),
    ]
    return "\n".join(texts)


RESULTS = [
    (Verdict.WA, Reason.TYPE),
    (Verdict.WA, Reason.DTYPE),
    (Verdict.WA, Reason.SHAPE),
    (Verdict.WA, Reason.NON_FINITE),
    (Verdict.WA, Reason.VALUE),
    (Verdict.WA, Reason.STATE),
    (Verdict.RTE, Reason.EXCEPTION),
    (Verdict.RTE, Reason.EXIT),
    (Verdict.RTE, Reason.CRASH),
    (Verdict.RTE, Reason.PROTOCOL),
    (Verdict.MLE, Reason.MEMORY),
]


@pytest.mark.parametrize(("verdict", "reason"), RESULTS)
def test_no_format_tells_a_learner_what_a_secret_case_could_have_smuggled(verdict, reason):
    whole = report([leaky("secret/x", verdict, reason)], time=Timing(wall_s=float(SECRET)))
    assert SECRET in all_formats(whole)
    seen = all_formats(for_audience(whole, Audience.LEARNER))
    assert SECRET not in seen
    assert SECRET[:6] not in seen


@pytest.mark.parametrize(("verdict", "reason"), RESULTS)
def test_a_learner_is_told_verdict_reason_and_line_of_a_secret_case(verdict, reason):
    whole = for_audience(report([leaky("secret/x", verdict, reason)]), "learner", lines=3)
    case = whole.cases[0]
    assert (case.name, case.group, case.verdict, case.reason) == (
        "secret/x", "secret", verdict, reason
    )  # fmt: skip
    assert case.line == 2
    assert case.message


def test_a_learner_sees_samples_in_full():
    sample = leaky("sample/x")
    whole = for_audience(report([sample, leaky("secret/x")]), "learner")
    assert whole.cases[0] == sample


def test_an_author_sees_everything():
    whole = report([leaky("secret/x")])
    assert for_audience(whole, "author") is whole


def test_a_well_known_exception_is_named_and_an_invented_one_is_not():
    def exception(name: str) -> str | None:
        bad = failed("secret/x", Verdict.RTE, Reason.EXCEPTION, exception=name)
        return for_audience(report([bad]), "learner").cases[0].exception

    assert exception("ZeroDivisionError") == "ZeroDivisionError"
    assert exception("numpy.linalg.LinAlgError") == "numpy.linalg.LinAlgError"
    assert exception(f"submission.{SECRET}") == "an exception type of its own"
    assert exception(f"numpy.linalg.{SECRET}") == "an exception type of its own"


def test_a_line_that_the_file_does_not_have_is_not_told():
    bad = failed("secret/x", Verdict.RTE, Reason.EXCEPTION, exception="ValueError", line=8675309)
    assert for_audience(report([bad]), "learner", lines=40).cases[0].line is None


def test_what_went_wrong_while_loading_holds_no_data_and_is_told():
    bad = failed("secret/x", Verdict.CE, Reason.NO_FUNCTION, "found encoderBlock, line 9", line=9)
    assert for_audience(report([bad]), "learner").cases[0].message == "found encoderBlock, line 9"


def test_times_memory_and_distances_are_coarse():
    finding = Diagnosis(id="x", title="x", stage="", advice="", evidence=Evidence(4, 3.14159e-10))
    whole = for_audience(
        report(
            [accepted("secret/x")],
            diagnosis=[finding],
            time=Timing(1.2345, 0.0931, 0.0021, 0.0312),
            peak_memory_bytes=123_456_789,
        ),
        "learner",
    )
    assert whole.time == Timing(1.2, 0.1, 0.0, 0.0)
    assert whole.peak_memory_bytes % (16 << 20) == 0
    assert whole.peak_memory_bytes >= 123_456_789
    assert whole.diagnosis[0].evidence == Evidence(4, 3e-10)


@given(
    st.lists(
        st.builds(
            CaseResult,
            name=st.text(max_size=5).map(lambda text: f"secret/{text}"),
            group=st.just("secret"),
            verdict=st.sampled_from(Verdict),
            reason=st.sampled_from([None, *Reason]),
            message=st.text(),
            exception=st.none() | st.text(),
            line=st.none() | st.integers(),
            traceback=st.lists(st.text()),
            time_s=st.floats(0, 10),
            output=st.text(),
        ),
        max_size=4,
    )
)
def test_reducing_twice_is_reducing_once_and_keeps_every_verdict(cases):
    once = for_audience(report(cases), "learner", lines=9)
    assert [(c.name, c.verdict, c.reason) for c in once.cases] == [
        (c.name, c.verdict, c.reason) for c in cases
    ]
    assert all(c.output == "" and c.error is None and c.time_s == 0 for c in once.cases)
    again = for_audience(once, "learner", lines=9)
    assert msgspec.structs.astuple(again)[1:6] == msgspec.structs.astuple(once)[1:6]


def test_a_learners_page_has_the_values_of_samples_alone(problem):
    cases = load_cases(problem)
    outputs = {case.name: case.expected + 1 for case in cases}
    seen = case_details(problem, cases, outputs, "learner")
    assert set(seen) == {case.name for case in cases if case.group == "sample"}
    assert set(case_details(problem, cases, outputs)) == {case.name for case in cases}
    detail = seen["sample/two-heads"]
    assert detail.actual is outputs["sample/two-heads"]
    assert np.all(detail.error_over_tolerance() > 1e10)


def test_a_secret_case_is_told_with_the_samples_that_failed_in_the_same_way():
    bad = [failed(f"{group}/x", Verdict.WA, Reason.TYPE, "returned None") for group in GROUPS]
    text = to_text(for_audience(report(bad), "learner"))
    assert "all 2 cases" in text
    assert text.count("returned None") == 1


GROUPS = ("sample", "secret")
