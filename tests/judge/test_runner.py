"""Judging in a real sandbox: order, limits, workers that die, and what the report says of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from judge.problem import Problem
from judge.runner import Judge
from judge.testcases import TestCase, load_cases
from judge.verdicts import CaseResult, Reason, Report, Verdict
from tests.conftest import ROOT
from tests.judge.processes import all_ended, descendants, watch

TINY = ROOT / "tests" / "bundles" / "tiny"
RIGHT = """
import numpy as np

def right(table, weights, chosen, power, absolute):
    rows = np.abs(table[chosen]) if absolute else table[chosen]
    return np.asarray((rows ** power @ weights).sum())
"""


@pytest.fixture(scope="module")
def tiny() -> Problem:
    return Problem.load(TINY)


@pytest.fixture(scope="module")
def judge(tiny: Problem) -> Iterator[Judge]:
    with Judge(tiny) as one:
        yield one


def submission(body: str) -> str:
    """Return a submission: a right function `right`, and the body, which uses it."""
    return f"{RIGHT}\n{body}\n"


def with_limits(problem: Problem, **limits: float) -> Problem:
    changed = msgspec.structs.replace(
        problem, limits=msgspec.structs.replace(problem.limits, **limits)
    )
    changed.__dict__["folder"] = problem.folder
    return changed


def many_cases(problem: Problem, count: int) -> list[TestCase]:
    """Return cases of one row that hold their number, and want it back."""
    return [
        TestCase.of(
            f"secret/number-{i}",
            "secret",
            (),
            (np.array([[float(i)]]), np.ones(1), np.ones(1, bool), 1, False),
            np.array(float(i)),
        )
        for i in range(count)
    ]


def by_verdict(report: Report) -> dict[str, int]:
    counts: dict[str, int] = {}
    for case in report.cases:
        counts[case.verdict] = counts.get(case.verdict, 0) + 1
    return counts


# ------------------------------------------------------------------------------- the report


def test_cases_are_reported_in_the_manifests_order_and_come_in_another(judge: Judge) -> None:
    cases = many_cases(judge.problem, 12)
    orders = set()
    for _ in range(3):
        came: list[str] = []
        report = judge.run(
            submission("power_sum = right"),
            cases=cases,
            on_case=lambda c, came=came: came.append(c.name),  # type: ignore[misc]
        )
        assert [case.name for case in report.cases] == [case.name for case in cases]
        assert sorted(came) == sorted(case.name for case in cases)
        orders.add(tuple(came))
    assert len(orders) == 3


def test_results_come_one_by_one_and_a_run_may_be_left(judge: Judge) -> None:
    results = judge.iterate(submission("power_sum = right"))
    first = next(results)
    assert isinstance(first, CaseResult)
    results.close()
    assert judge.run(submission("power_sum = right")).verdict is Verdict.AC


def test_a_run_within_a_run_is_refused_rather_than_waited_for(judge: Judge) -> None:
    results = judge.iterate(submission("power_sum = right"))
    next(results)
    with pytest.raises(RuntimeError, match="still judging"):
        judge.run(submission("power_sum = right"))
    results.close()


def test_an_exception_of_the_callers_ends_the_worker(judge: Judge) -> None:
    def on_case(case: CaseResult) -> None:
        raise ZeroDivisionError(case.name)

    with pytest.raises(ZeroDivisionError):
        judge.run(submission("power_sum = right"), on_case=on_case)
    assert judge.run(submission("power_sum = right")).verdict is Verdict.AC


def test_the_score_weighs_cases_by_their_group(judge: Judge) -> None:
    report = judge.run(
        submission("def power_sum(*a):\n    return right(*a) + (1.0 if a[-1] else 0.0)")
    )
    assert by_verdict(report) == {"AC": 4, "WA": 1}
    assert report.score == pytest.approx(8 / 11)
    assert (report.passed, report.total) == (4, 5)


def test_a_report_says_what_made_it(judge: Judge) -> None:
    report = judge.run(submission("power_sum = right"), name="mine.py", seed=7)
    made = report.provenance
    assert report.submission == "mine.py"
    assert made.bundle.startswith("sha256:")
    assert made.source.startswith("sha256:")
    assert made.seed == 7
    assert made.numpy == np.__version__
    assert report.problem == "power-sum"
    assert report.time.wall_s >= report.time.import_s > 0
    assert report.peak_memory_bytes > 1 << 20
    assert Report.from_json(report.to_json()) == report


def test_booting_is_told_once(tiny: Problem) -> None:
    with Judge(tiny) as one:
        first = one.run(submission("power_sum = right"))
        second = one.run(submission("power_sum = right"))
    assert first.time.boot_s > 0
    assert second.time.boot_s == 0


def test_outputs_are_given_for_the_cases_that_returned_an_array(judge: Judge) -> None:
    execution = judge.execute(
        submission("def power_sum(*a):\n    return right(*a) if a[3] else None")
    )
    expected = {case.name: case.expected for case in judge.cases if case.inputs[3]}
    assert execution.outputs.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(execution.outputs[name], value)


def test_text_bytes_and_files_are_judged_alike(judge: Judge, tmp_path: Path) -> None:
    text = submission("power_sum = right")
    (tmp_path / "mine.py").write_text(text)
    sources: list[Any] = [text, text.encode(), tmp_path / "mine.py"]
    reports = [judge.run(source) for source in sources]
    assert {report.verdict for report in reports} == {Verdict.AC}
    assert len({report.provenance.source for report in reports}) == 1
    assert reports[2].submission == "mine.py"


def test_a_missing_file_is_an_error_and_no_verdict(judge: Judge, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        judge.run(tmp_path / "nothing.py")
    with pytest.raises(IsADirectoryError):
        judge.run(tmp_path)


# ------------------------------------------------------------------------------- inputs, state


def test_every_call_gets_fresh_arrays_that_it_may_write(judge: Judge) -> None:
    report = judge.run(
        submission(
            "def power_sum(table, *rest):\n"
            "    assert table.flags.owndata and table.flags.c_contiguous and table.flags.aligned\n"
            "    value = right(table, *rest)\n"
            "    table[:] = 7\n"
            "    rest[1][:] = False\n"
            "    return value"
        )
    )
    assert report.verdict is Verdict.AC
    assert any("(table, chosen)" in note for note in report.notes)


def test_a_changed_shape_counts_as_a_changed_input(judge: Judge) -> None:
    report = judge.run(
        submission(
            "def power_sum(table, weights, *rest):\n"
            "    value = right(table, weights, *rest)\n"
            "    weights.shape = (weights.size, 1)\n"
            "    return value"
        )
    )
    assert any("(weights)" in note for note in report.notes)


def test_python_values_arrive_as_python_values(judge: Judge) -> None:
    report = judge.run(
        submission(
            "def power_sum(table, weights, chosen, power, absolute):\n"
            "    assert type(power) is int and type(absolute) is bool\n"
            "    return right(table, weights, chosen, power, absolute)"
        )
    )
    assert report.verdict is Verdict.AC


def test_the_first_accepted_case_is_run_once_more(judge: Judge) -> None:
    source = submission(
        "calls = 0\n"
        "def power_sum(*a):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    return right(*a) + (1.0 if calls > 12 else 0.0)"
    )
    execution = judge.execute(source, cases=many_cases(judge.problem, 12))
    assert by_verdict(execution.report) == {"AC": 11, "WA": 1}
    (wrong,) = (case for case in execution.report.cases if case.reason)
    assert wrong.reason is Reason.STATE
    # The wrong result is the one to show, not the first and right one.
    assert execution.outputs[wrong.name] == float(wrong.name.rpartition("-")[2]) + 1.0


def test_an_exception_in_the_second_run_is_told_as_such(judge: Judge) -> None:
    source = submission(
        "calls = 0\n"
        "def power_sum(*a):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    assert calls <= 12\n"
        "    return right(*a)"
    )
    report = judge.run(source, cases=many_cases(judge.problem, 12))
    failed = next(case for case in report.cases if case.verdict is not Verdict.AC)
    assert failed.verdict is Verdict.RTE
    assert "run again at the end" in failed.message


def test_what_a_submission_patches_does_not_change_what_is_told_of_it(judge: Judge) -> None:
    report = judge.run(
        submission(
            "import builtins, os, sys\n"
            "assert __builtins__ is builtins\n"
            "def power_sum(*a):\n"
            "    value = right(*a)\n"
            "    for name in ['type', 'len', 'zip', 'memoryview', 'min', 'isinstance']:\n"
            "        setattr(builtins, name, None)\n"
            "    np.ndarray = np.frombuffer = np.dtype = os.write = os.readv = None\n"
            "    sys.stdout = sys.stderr = None\n"
            "    return value"
        ),
        cases=many_cases(judge.problem, 3),
    )
    assert by_verdict(report) == {"AC": 3}


# ------------------------------------------------------------------------------- limits


def test_after_three_time_outs_the_rest_is_not_run(tiny: Problem) -> None:
    with Judge(with_limits(tiny, time_limit=0.1), cases=many_cases(tiny, 6)) as one:
        report = one.run("def power_sum(*a):\n    while True: pass")
    assert by_verdict(report) == {"TLE": 3, "not-run": 3}
    rest = [case for case in report.cases if case.verdict is Verdict.NOT_RUN]
    assert {case.reason for case in rest} == {Reason.TIME_OUTS}
    assert all("3 calls before it" in case.message for case in rest)


def test_all_calls_together_have_a_limit(tiny: Problem) -> None:
    problem = with_limits(tiny, time_limit=5.0, total_time=0.2)
    with Judge(problem, cases=many_cases(tiny, 30)) as one:
        report = one.run(submission("import time\ndef power_sum(*a):\n    time.sleep(0.05)\n"
                                    "    return right(*a)"))  # fmt: skip
    counts = by_verdict(report)
    assert counts["TLE"] == 1
    assert counts["not-run"] >= 20
    reasons = {case.reason for case in report.cases if case.verdict is not Verdict.AC}
    assert reasons == {Reason.TOTAL_TIME}


def test_a_stopped_worker_is_out_of_time(tiny: Problem) -> None:
    with Judge(with_limits(tiny, time_limit=0.1), cases=many_cases(tiny, 1)) as one:
        report = one.run(
            "import os, signal\ndef power_sum(*a):\n    os.kill(os.getpid(), signal.SIGSTOP)"
        )
        assert report.cases[0].reason is Reason.CALL_TIME
        assert one.run(submission("power_sum = right")).verdict is Verdict.AC


def test_the_time_scale_stretches_every_limit(tiny: Problem) -> None:
    slow = submission("import time\ntime.sleep(0.2)\ndef power_sum(*a):\n    time.sleep(0.2)\n"
                      "    return right(*a)")  # fmt: skip
    problem = with_limits(tiny, time_limit=0.1, import_time=0.1, total_time=0.1)
    cases = many_cases(tiny, 1)
    with Judge(problem, cases=cases) as one:
        assert one.run(slow).cases[0].reason is Reason.IMPORT_TIME
    with Judge(problem, cases=cases, time_scale=100.0) as one:
        assert one.run(slow).verdict is Verdict.AC


def test_a_run_may_stop_at_the_first_failure(judge: Judge) -> None:
    cases = many_cases(judge.problem, 5)
    report = judge.run("def power_sum(*a):\n    return None", cases=cases, fail_fast=True)
    assert by_verdict(report) == {"WA": 1, "not-run": 4}
    assert {case.reason for case in report.cases} == {Reason.TYPE, Reason.STOPPED}


def test_output_is_kept_by_case_and_cut(judge: Judge) -> None:
    report = judge.run(
        submission(
            "def power_sum(table, *rest):\n"
            "    print('number', int(table[0, 0]), 'é\\x1b[31m', '=' * 10_000)\n"
            "    return right(table, *rest)"
        ),
        cases=many_cases(judge.problem, 4),
    )
    for index, case in enumerate(report.cases):
        assert case.output.startswith(f"number {index} é\N{REPLACEMENT CHARACTER}[31m ===")
        assert len(case.output.encode()) <= 4096 + 8
    assert report.verdict is Verdict.AC


def test_what_is_printed_before_a_crash_is_kept(judge: Judge) -> None:
    report = judge.run(
        "import os\ndef power_sum(*a):\n    print('so far')\n    os.abort()",
        cases=many_cases(judge.problem, 1),
    )
    assert report.cases[0].output == "so far\n"


# ------------------------------------------------------------------------------- workers that die


@pytest.mark.parametrize(
    ("deed", "verdict", "reason"),
    [
        ("os.abort()", Verdict.RTE, Reason.CRASH),
        ("os._exit(3)", Verdict.RTE, Reason.EXIT),
        ("os.kill(os.getpid(), 9)", Verdict.MLE, Reason.MEMORY),
        ("sys.exit('bye')", Verdict.RTE, Reason.EXIT),
        ("bytearray(1 << 40)", Verdict.MLE, Reason.MEMORY),
        ("raise KeyboardInterrupt", Verdict.RTE, Reason.EXCEPTION),
        ("os.write(3, b'RPLY' + bytes(28))", Verdict.RTE, Reason.PROTOCOL),
        ("os.write(3, b'x')", Verdict.RTE, Reason.PROTOCOL),
        ("os.close(3)", Verdict.RTE, Reason.EXIT),
    ],
)
def test_one_bad_call_costs_one_case(
    judge: Judge, deed: str, verdict: Verdict, reason: Reason
) -> None:
    report = judge.run(
        submission(
            "import os, sys\n"
            "def power_sum(table, *rest):\n"
            f"    if table[0, 0] == 2: {deed}\n"
            "    return right(table, *rest)"
        ),
        cases=many_cases(judge.problem, 5),
    )
    assert [case.verdict for case in report.cases].count(Verdict.AC) == 4
    assert (report.cases[2].verdict, report.cases[2].reason) == (verdict, reason)


def test_a_memory_error_that_is_caught_is_the_submissions_own_affair(judge: Judge) -> None:
    report = judge.run(
        submission(
            "def power_sum(*a):\n"
            "    try:\n"
            "        bytearray(1 << 40)\n"
            "    except MemoryError:\n"
            "        return right(*a)"
        )
    )
    assert report.verdict is Verdict.AC


def test_workers_share_the_output_limit(judge: Judge) -> None:
    report = judge.run(
        "import os\ndef power_sum(*a):\n    print('x' * 400_000)\n    os.abort()",
        cases=many_cases(judge.problem, 6),
    )
    assert by_verdict(report) == {"RTE": 2, "OLE": 1, "not-run": 3}


USES_COMPILED_CODE = """
import bisect, csv, datetime, decimal, hashlib, heapq, random, secrets, statistics, zlib
import _csv, _decimal, _hashlib, _random, _statistics
def power_sum(*a):
    np.random.default_rng(1).normal()
    np.random.rand(2)
    np.fft.fft(np.ones(2))
    hashlib.sha256(b"x").digest()
    return right(*a)
"""


def test_the_first_worker_and_later_ones_have_the_compiled_modules(tiny: Problem) -> None:
    with Judge(tiny) as one:
        for _ in range(3):
            report = one.run(submission(USES_COMPILED_CODE))
            assert report.verdict is Verdict.AC, report.cases[0].message


# ------------------------------------------------------------------------------- sent ahead

PEEKS = """
import select
channel = select.poll()
channel.register(3, select.POLLIN)
def power_sum(*a):
    {first}
    value = right(*a)
    return value + 1 if channel.poll(50) else value
"""


def peeked(judge: Judge, first: str = "", **options: bool) -> dict[str, list[Verdict]]:
    """Return the verdicts by group; a wrong one tells that the next case's inputs were there."""
    cases = [*judge.cases, *many_cases(judge.problem, 6)]
    report = judge.run(submission(PEEKS.format(first=first)), cases=cases, **options)
    found: dict[str, list[Verdict]] = {"sample": [], "secret": []}
    for case in report.cases:
        found[case.group].append(case.verdict)
    return found


def test_while_a_published_case_runs_no_other_input_is_there(judge: Judge) -> None:
    found = peeked(judge)
    assert set(found["sample"]) == {Verdict.AC}
    assert Verdict.WA in found["secret"]


def test_what_prints_is_given_one_case_at_a_time(judge: Judge) -> None:
    assert set(peeked(judge, first="print()")["secret"]) == {Verdict.AC}


def test_what_ends_at_the_first_failure_has_nothing_of_the_next_case(judge: Judge) -> None:
    assert set(peeked(judge, fail_fast=True)["secret"]) == {Verdict.AC}


def test_one_that_takes_results_in_its_own_time_has_them_one_at_a_time(judge: Judge) -> None:
    source = submission(PEEKS.format(first=""))
    assert {result.verdict for result in judge.iterate(source)} == {Verdict.AC}


# ------------------------------------------------------------------------------- the judge's faults


def kill_zygote(judge: Judge) -> None:
    supervisor = judge._sandbox._process
    family = watch([supervisor.pid, *descendants(supervisor.pid)])
    supervisor.send(signal.SIGKILL)
    assert all_ended(family)


def test_a_zygote_that_is_killed_once_costs_nothing(tiny: Problem) -> None:
    with Judge(tiny, cases=many_cases(tiny, 8)) as one:
        killed: list[CaseResult] = []

        def on_case(result: CaseResult) -> None:
            if not killed:
                kill_zygote(one)
            killed.append(result)

        report = one.run(submission("power_sum = right"), on_case=on_case)
        assert by_verdict(report) == {"AC": 8}
        assert one.run(submission("power_sum = right")).verdict is Verdict.AC


def test_a_zygote_that_keeps_dying_is_the_judges_fault(tiny: Problem) -> None:
    with Judge(tiny, cases=many_cases(tiny, 8)) as one:
        report = one.run(submission("power_sum = right"), on_case=lambda _: kill_zygote(one))
        assert report.verdict is Verdict.JE
        errors = [case for case in report.cases if case.verdict is Verdict.JE]
        assert errors
        assert all("the judge failed, not the submission" in case.message for case in errors)
        assert report.score == 1.0
        assert one.run(submission("power_sum = right")).verdict is Verdict.AC


def test_a_sandbox_that_does_not_boot_is_the_judges_fault(
    tiny: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with Judge(tiny) as one:
        report = one.run(submission("power_sum = right"))
    assert by_verdict(report) == {"JE": 5}
    assert "the sandbox did not boot" in report.cases[0].message
    assert report.isolation.proved == []


def test_a_judge_outlives_the_thread_that_made_it(tiny: Problem) -> None:
    made: list[Judge] = []
    thread = threading.Thread(target=lambda: made.append(Judge(tiny)))
    thread.start()
    thread.join()
    with made[0] as one:
        assert one.run(submission("power_sum = right")).verdict is Verdict.AC


def test_two_judges_work_at_once(tiny: Problem) -> None:
    sources = {
        Verdict.AC: submission("power_sum = right"),
        Verdict.WA: "def power_sum(*a):\n    return None",
        Verdict.RTE: "import os\ndef power_sum(*a):\n    os.abort()",
    }
    found: list[tuple[Verdict, Verdict]] = []

    def work(wanted: Verdict) -> None:
        with Judge(tiny) as one:
            found.extend((wanted, one.run(sources[wanted]).verdict) for _ in range(4))

    threads = [threading.Thread(target=work, args=(verdict,)) for verdict in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12
    assert all(wanted == got for wanted, got in found)


def test_threads_may_share_a_judge(judge: Judge) -> None:
    found: list[Verdict] = []

    def work() -> None:
        found.extend(judge.run(submission("power_sum = right")).verdict for _ in range(3))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Verdict.AC] * 9


INTERRUPTED = """
import sys
from judge.problem import Problem
from judge.runner import Judge

HANGS_LATER = '''
calls = []
def power_sum(*a):
    calls.append(1)
    while len(calls) > 1: pass
'''

with Judge(Problem.load(sys.argv[1])) as judge:
    judge.run(HANGS_LATER, on_case=lambda case: print(case.verdict, flush=True))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_judge_leaves_nothing_behind(number: signal.Signals) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(TINY)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"WA\n"
        # Supervisor, zygote and worker.
        watched = watch(descendants(process.pid))
        assert len(watched) == 3
        process.send_signal(number)
        process.wait(timeout=30)
        assert all_ended(watched)
    assert process.returncode != 0


# ------------------------------------------------------------------------------- calling


def test_any_function_may_be_called_and_its_results_come_back(judge: Judge) -> None:
    code = b"import numpy as np\ndef f(a, n):\n    return np.stack([a] * n)\n"
    outcomes = judge.call(code, "f", [(np.arange(3.0), 2), (np.arange(4), 1), (np.array(True), 3)])
    values = [outcome.value for outcome in outcomes]
    assert [value.tolist() for value in values if value is not None] == [
        [[0.0, 1.0, 2.0]] * 2,
        [[0, 1, 2, 3]],
        [True] * 3,
    ]


def test_calls_that_fail_say_why_and_the_others_go_on(judge: Judge) -> None:
    code = (
        b"import os, numpy as np\n"
        b"def f(n):\n"
        b"    if n == 1: raise ValueError('one')\n"
        b"    if n == 2: os.abort()\n"
        b"    if n == 3: return 'three'\n"
        b"    if n == 5: return np.zeros(1 << 20)\n"
        b"    return np.array(n)\n"
    )
    outcomes = judge.call(code, "f", [(n,) for n in range(6)], max_bytes=1 << 20)
    assert [None if o.value is None else int(o.value) for o in outcomes] == [
        0, None, None, None, 4, None,
    ]  # fmt: skip
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    verdicts = [failure.verdict for failure in failures]
    assert verdicts == [Verdict.RTE, Verdict.RTE, Verdict.WA, Verdict.WA]
    assert "shape (1048576,) takes more than 1048576 bytes" in failures[3].message


def test_a_call_that_does_not_fit_names_the_calls_own_arguments(judge: Judge) -> None:
    outcome = judge.call(b"def f(a): return a\n", "f", [(1, 2)])[0]
    assert outcome.failure
    assert "f(a) can't be called with the 2 arguments" in outcome.failure.message


def test_code_that_cant_be_loaded_fails_every_call(judge: Judge) -> None:
    outcomes = judge.call(b"import nothing_like_it\n", "f", [(1,), (2,)])
    assert len(outcomes) == 2
    assert all(o.failure and o.failure.reason is Reason.MISSING_MODULE for o in outcomes)


def test_the_bundles_own_cases_are_read_when_none_are_given(tiny: Problem) -> None:
    with Judge(tiny) as one:
        assert [case.name for case in one.cases] == [case.name for case in load_cases(tiny)]
