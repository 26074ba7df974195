"""What the judge says of a worker's reply, whoever wrote the reply."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.problem import Problem
from judge.sandbox.session import Exchange, Stop
from judge.sandbox.wire import CALL_KINDS, LOAD_KINDS, Kind, Reply
from judge.verdicts import Reason, Verdict
from judge.wording import Wording, printable, printed
from tests.conftest import ROOT

SOURCE = b"import numpy as np\n\n\ndef encoder_block(x):\n    return x\n"
WORDS = Wording(Problem.load(ROOT), SOURCE, 1.0)
SHAPE = (2, 4, 8)


def exchange(reply: Reply | None, stop: Stop | None = None) -> Exchange:
    return Exchange(reply, stop, "", 0.0, b"")


replies = st.builds(
    Reply,
    kind=st.sampled_from(sorted(LOAD_KINDS | CALL_KINDS)),
    shape=st.lists(st.integers(0, 2**64 - 1), max_size=64).map(tuple),
    lines=st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 9), max_size=16).map(tuple),
    text=st.lists(st.text(max_size=4000), max_size=5).map(tuple),
)


@given(replies)
def test_a_forged_reply_becomes_a_bounded_message_that_a_terminal_can_show(reply: Reply) -> None:
    for finding in (
        WORDS.load(exchange(reply), None),
        WORDS.call(exchange(reply), None, SHAPE),
    ):
        if finding is None:
            continue
        assert len(finding.message) < 2500
        assert finding.message.isprintable()
        assert finding.exception is None or len(finding.exception) <= 80
        assert finding.line is None or 1 <= finding.line <= 5
        # Only lines that the file has are quoted, and as they stand there.
        for quoted in finding.traceback:
            number, text = quoted.removeprefix("line ").split(": ", 1)
            assert SOURCE.decode().splitlines()[int(number) - 1].strip() == text
        assert finding.verdict not in (Verdict.AC, Verdict.JE)


@given(st.text(max_size=200), st.integers(0, 100))
def test_text_from_a_submission_has_nothing_that_a_terminal_obeys(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert all(c.isprintable() or c in "\n\t" for c in shown)


def test_windows_line_ends_and_progress_bars_become_lines() -> None:
    assert printed(b"a\r\nb\rc\n\xff\x1b[2J") == "a\nb\nc\n\ufffd\ufffd[2J"


@pytest.mark.parametrize(
    ("status", "loading", "verdict", "reason"),
    [
        (0, True, Verdict.CE, Reason.IMPORT_EXIT),
        (0, False, Verdict.RTE, Reason.EXIT),
        (3 << 8, False, Verdict.RTE, Reason.EXIT),
        (signal.SIGSEGV, True, Verdict.CE, Reason.IMPORT_CRASH),
        (signal.SIGSEGV | 0x80, False, Verdict.RTE, Reason.CRASH),
        (signal.SIGKILL, False, Verdict.MLE, Reason.MEMORY),
        (signal.SIGXCPU, False, Verdict.TLE, Reason.CALL_TIME),
        (signal.SIGXCPU, True, Verdict.TLE, Reason.IMPORT_TIME),
        (40, False, Verdict.RTE, Reason.CRASH),
        (None, False, Verdict.RTE, Reason.PROTOCOL),
    ],
)
def test_an_ended_process_is_judged_by_how_it_ended(
    status: int | None, loading: bool, verdict: Verdict, reason: Reason
) -> None:
    ended = exchange(None, Stop.ENDED)
    finding = WORDS.load(ended, status) if loading else WORDS.call(ended, status, SHAPE)
    assert finding is not None
    assert (finding.verdict, finding.reason) == (verdict, reason)


def test_a_value_and_a_loaded_file_are_no_findings() -> None:
    assert WORDS.load(exchange(Reply(Kind.READY)), None) is None
    assert WORDS.call(exchange(Reply(Kind.VALUE, shape=SHAPE)), None, SHAPE) is None


def test_lines_are_counted_as_python_counts_them() -> None:
    source = "x = 'a\u2028b\x0cc'\r\ny = 1\rz = 2\n".encode()
    words = Wording(Problem.load(ROOT), source, 1.0)
    finding = words.load(exchange(Reply(Kind.EXCEPTION, lines=(2, 3), text=("E", "m"))), None)
    assert finding is not None
    assert finding.traceback == ["line 2: y = 1", "line 3: z = 2"]
