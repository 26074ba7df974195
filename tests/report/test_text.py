"""What a learner reads in a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.report.text import TextStyle, to_text, verdict_line
from judge.verdicts import Diagnosis, Isolation, Reason, Verdict
from tests.report.golden_files import check
from tests.report.reports import NAMES, SOURCE, accepted, by_kind, failed, report

KINDS = by_kind()
COLOR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_outcome_is_told_as_its_golden_file_has_it(kind):
    check(f"{kind}.txt", to_text(*KINDS[kind]))


def test_a_narrow_terminal_gets_shorter_lines_and_fewer_columns():
    check("narrow.txt", to_text(*KINDS["wrong-values"], TextStyle(width=44)))


def test_verbose_tells_every_case_and_what_made_the_report():
    shows = {name: f"what {name} shows" for name in NAMES}
    style = TextStyle(verbose=True, advice="explicit", shows=shows)
    check("verbose.txt", to_text(*KINDS["exception"], style))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [40, 57, 80, 200])
def test_no_line_is_wider_than_the_terminal(kind, width):
    style = TextStyle(width=width, verbose=True, shows={"sample/two-heads": "two heads " * 20})
    text = to_text(*KINDS[kind], style)
    assert [line for line in text.splitlines() if len(line) > width] == []


@pytest.mark.parametrize("kind", KINDS)
def test_colours_add_nothing_but_colours(kind):
    plain = to_text(*KINDS[kind])
    coloured = to_text(*KINDS[kind], TextStyle(color=True))
    assert COLOR.sub("", coloured) == plain
    assert "\x1b" not in plain


def test_the_first_line_says_it_all():
    line = verdict_line(KINDS["wrong-values"][0])
    for part in ("WA", "wrong answer", "my_solution.py", "4 of 8 cases", "score 0.50", "isolated"):
        assert part in line
    assert "\n" not in line


def test_weak_isolation_is_said_in_the_first_line():
    weak = report([accepted("sample/x")], isolation=Isolation(["no-network"]))
    assert "not isolated" in verdict_line(weak)


def test_a_score_that_is_not_full_is_never_shown_as_full():
    nearly = report([accepted("sample/x")], score=0.9999, verdict=Verdict.WA)
    assert "score 0.99" in verdict_line(nearly)


def test_advice_that_was_given_already_is_not_given_twice():
    bad = [
        failed(f"secret/{i}", Verdict.WA, Reason.SHAPE, f"expected (1, {i}), got (1,)")
        for i in range(3)
    ]
    assert to_text(report(bad), None, TextStyle(verbose=True)).count("Print the shapes") == 1


def test_cases_that_fail_alike_are_told_once():
    text = to_text(*KINDS["none"])
    assert text.count("returned None") == 1
    assert "all 8 cases" in text


def test_the_kind_of_error_is_judged_by_the_largest():
    assert "np.allclose" in to_text(*KINDS["nearly-right"])
    assert "Far off" in to_text(*KINDS["scalar"])


def test_more_advice_is_offered_while_there_is_more():
    found = KINDS["wrong-values"]
    assert "--advice clear" in to_text(*found)
    assert "--advice explicit" in to_text(*found, TextStyle(advice="clear"))
    assert "--advice" not in to_text(*found, TextStyle(advice="explicit"))


def test_a_case_can_be_looked_at_only_where_the_reader_may():
    assert "judge show sample" not in to_text(*KINDS["wrong-values"])
    shown = to_text(*KINDS["wrong-values"], TextStyle(shows={"sample/two-heads": "two heads"}))
    assert "judge show sample/two-heads" in shown
    assert "judge show secret" not in shown


def test_printed_output_is_shown_when_there_are_few_cases_and_counted_when_many():
    talking = failed("sample/x", Verdict.WA, Reason.TYPE, "None", output="x is 3\n")
    assert "| x is 3" in to_text(report([talking]))
    many = report([talking, *map(accepted, NAMES)])
    assert "x is 3" not in to_text(many)
    assert "1 case printed something" in to_text(many)
    assert "| x is 3" in to_text(many, None, TextStyle(verbose=True))


def test_a_line_number_that_the_file_does_not_have_shows_no_line():
    beyond = failed("sample/x", Verdict.RTE, Reason.EXCEPTION, "E", line=99)
    assert " | " not in to_text(report([beyond]), SOURCE)


hostile = st.text(st.characters(codec=None), max_size=60)


@given(message=hostile, output=hostile, source=hostile, name=hostile, step=hostile)
def test_no_text_of_a_submission_reaches_the_terminal_as_a_control(
    message, output, source, name, step
):
    bad = failed(
        "sample/x",
        Verdict.RTE,
        Reason.EXCEPTION,
        message,
        line=1,
        output=output,
        traceback=[step, step],
        exception=name,
    )
    finding = Diagnosis(id="x", title=message, stage="", advice=output)
    whole = report([bad], submission=name, notes=[message], diagnosis=[finding])
    text = to_text(whole, source, TextStyle(verbose=True))
    assert all(c.isprintable() or c == "\n" for c in text)
    text.encode("utf-8")
