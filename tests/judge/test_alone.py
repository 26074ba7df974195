"""Judging without forks, as on macOS: slower and without isolation, but with the same verdicts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judge.problem import Problem
from judge.runner import Judge
from judge.sandbox.process import Sandbox
from judge.verdicts import Reason, Verdict
from tests.judge.test_runner import TINY, many_cases, submission, with_limits


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    problem = with_limits(Problem.load(TINY), time_limit=0.5)
    with Judge(problem, sandbox=Sandbox(forks=False)) as one:
        yield one


@pytest.mark.parametrize(
    ("deed", "verdict", "reason"),
    [
        ("pass", Verdict.AC, None),
        ("return None", Verdict.WA, Reason.TYPE),
        ("raise ValueError", Verdict.RTE, Reason.EXCEPTION),
        ("os.abort()", Verdict.RTE, Reason.CRASH),
        ("os._exit(0)", Verdict.RTE, Reason.EXIT),
        ("bytearray(1 << 40)", Verdict.MLE, Reason.MEMORY),
        ("while True: pass", Verdict.TLE, Reason.CALL_TIME),
        ("print('x' * (2 << 20))", Verdict.OLE, Reason.OUTPUT),
    ],
)
def test_verdicts_are_those_of_a_forked_worker(
    judge: Judge, deed: str, verdict: Verdict, reason: Reason | None
) -> None:
    report = judge.run(
        submission(f"import os\ndef power_sum(*a):\n    {deed}\n    return right(*a)"),
        cases=many_cases(judge.problem, 1),
    )
    assert (report.cases[0].verdict, report.cases[0].reason) == (verdict, reason)
    assert report.peak_memory_bytes > 1 << 20


def test_a_fresh_worker_goes_on_after_a_crash(judge: Judge) -> None:
    report = judge.run(
        submission(
            "import os\n"
            "def power_sum(table, *rest):\n"
            "    if table[0, 0] == 1: os.abort()\n"
            "    return right(table, *rest)"
        ),
        cases=many_cases(judge.problem, 3),
    )
    assert [case.verdict for case in report.cases].count(Verdict.AC) == 2


def test_nothing_is_said_to_be_proved(judge: Judge) -> None:
    assert judge.isolation.proved == []
    assert judge.isolation.layers["seccomp"] == "missing: needs Linux"
    assert all("Linux" in why for whys in judge.proof.breaches.values() for why in whys)
