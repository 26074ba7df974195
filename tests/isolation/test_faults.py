"""What the machine does to the judge: kills, full disks, lost terminals, no descriptors.

No orphan, no zombie, no hang, no lost or wrong verdict; a judge error that says what happened where
it can't go on.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judge.problem import Problem
from judge.runner import Judge
from judge.testcases import load_cases
from judge.verdicts import Reason, Report, Verdict
from tests.conftest import ROOT
from tests.isolation.conftest import BARE, Drive
from tests.isolation.stage import Stage
from tests.judge.processes import all_ended, descendants, watch

pytestmark = pytest.mark.isolation

RIGHT = ROOT / "reference" / "encoder_block.py"
ANNOUNCES_AND_WAITS = (
    "import sys, time\n"
    "def encoder_block(*a):\n"
    "    time.sleep(1000)\n"
)  # fmt: skip


def no_zombies() -> bool:
    """Reap what this process has left over; true when there was nothing but live children."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return True


# ------------------------------------------------------------------------- kills


WAITING = """
import sys
from judge.problem import Problem
from judge.runner import Judge
from tests.isolation import roles

roles.play(sys.argv[1])
off = frozenset(filter(None, sys.argv[2].split(",")))
with Judge(Problem.load("."), layers_off=off, time_scale=100.0) as judge:
    judge.run(
        "import time\\nseen = []\\n"
        "def encoder_block(*a):\\n    seen.append(1)\\n    len(seen) > 1 and time.sleep(1000)",
        on_case=lambda case: print(case.verdict, flush=True),
    )
"""


@pytest.mark.parametrize("off", ["", "process-namespace", "parent-death-signal"])
@pytest.mark.parametrize("role", BARE)
def test_nothing_outlives_a_judge_that_is_killed(role: str, off: str, on_stage: Stage) -> None:
    with subprocess.Popen(
        [on_stage.python, "-c", WAITING, role, off],
        stdout=subprocess.PIPE,
        env=on_stage.environment,
        cwd=on_stage.bundle,
    ) as judge:
        assert judge.stdout is not None
        assert judge.stdout.readline() == b"WA\n"
        watched = watch(descendants(judge.pid))
        assert len(watched) == 3  # supervisor, zygote, worker
        judge.kill()
        judge.wait()
        assert all_ended(watched)


@pytest.mark.parametrize("off", ["", "process-namespace"])
@pytest.mark.parametrize("role", BARE)
@pytest.mark.parametrize("victim", [0, 1], ids=["supervisor", "zygote"])
def test_a_sandbox_that_is_killed_takes_its_worker_along_and_is_replaced(
    role: str, off: str, victim: int, on_stage: Stage
) -> None:
    code = WAITING.replace("time.sleep(1000)", "time.sleep(0)")
    code = code.replace(
        "print(case.verdict, flush=True)", "(print(case.verdict, flush=True), input())"
    )
    with subprocess.Popen(
        [on_stage.python, "-c", code, role, off],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=on_stage.environment,
        cwd=on_stage.bundle,
    ) as judge:
        assert judge.stdout is not None
        assert judge.stdin is not None
        assert judge.stdout.readline() == b"WA\n"
        under = descendants(judge.pid)
        watched = watch(under)
        os.kill(under[victim], signal.SIGKILL)
        assert all_ended(watched)
        # The next cases: the judge starts another sandbox, and their verdicts are what they were.
        out, _ = judge.communicate(b"\n" * 100, timeout=60)
    assert judge.returncode == 0
    assert set(out.split()) == {b"WA"}
    assert len(out.split()) == len(load_cases(Problem.load(ROOT))) - 1


# ------------------------------------------------------------------------- terminal


def on_terminal(file: Path) -> tuple[int, int]:
    """Start `judge run` as the session leader of a new terminal; return its pid and our end."""
    command = [sys.executable, "-m", "judge", "run", str(file), "--problem", str(ROOT)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*command, "--time-scale", "100"])
    return pid, terminal


def wait_for_worker(pid: int) -> list[int]:
    """Return pidfds of supervisor, zygote and worker as soon as there are three."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        under = descendants(pid)
        if len(under) >= 3:
            return watch(under)
        select.select([], [], [], 0.02)
    raise AssertionError("no worker was started")


def read_all(terminal: int) -> bytes:
    said = b""
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # EIO: the other end is closed
            return said
        if not more:
            return said
        said += more


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    file = tmp_path / "waits.py"
    file.write_text(ANNOUNCES_AND_WAITS)
    return file


def test_ctrl_c_ends_the_judge_and_all_below_it(waiting: Path) -> None:
    pid, terminal = on_terminal(waiting)
    watched = wait_for_worker(pid)
    os.write(terminal, b"\x03")
    said = read_all(terminal)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert all_ended(watched)
    assert os.waitstatus_to_exitcode(status) == 130
    assert b"interrupted" in said
    assert b"Traceback" not in said


def test_a_closed_terminal_ends_the_judge_and_all_below_it(waiting: Path) -> None:
    pid, terminal = on_terminal(waiting)
    watched = wait_for_worker(pid)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) != 0
    assert all_ended(watched)
    assert no_zombies()


# ------------------------------------------------------------------------- no room


def judge_run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "judge", "run", *arguments, "--problem", str(ROOT)]
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command, timeout=100, check=False, stderr=subprocess.PIPE, **options
    )


def test_a_full_disk_under_the_report_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = judge_run(str(RIGHT), "--format", "json", stdout=full)
    assert done.returncode not in (0, 1)
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def no_file_may_grow() -> None:
    # Every write fails as on a full disk; the kernel would also send a signal (setrlimit(2)).
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_disk_that_is_full_for_everything_costs_no_verdict() -> None:
    done = judge_run(
        str(RIGHT), "--format", "json", stdout=subprocess.PIPE, preexec_fn=no_file_may_grow
    )
    assert done.returncode == 0, done.stderr
    report = Report.from_json(done.stdout)
    assert report.verdict is Verdict.AC
    # The canary could not be written, and what was not tried is not claimed.
    assert report.isolation.proved == []
    assert b"isolation is weak here" in done.stderr
    assert b"Traceback" not in done.stderr


@contextlib.contextmanager
def no_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 256), before[1]))
    held = []
    try:
        with contextlib.suppress(OSError):  # EMFILE
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_no_descriptors_is_the_judges_fault_and_passes() -> None:
    source = RIGHT.read_bytes()
    with Judge(Problem.load(ROOT)) as judge:
        assert judge.run(source).verdict is Verdict.AC
        with no_descriptors():
            report = judge.run(source)
        assert report.verdict is Verdict.JE
        assert {case.reason for case in report.cases} == {Reason.JUDGE}
        assert "Too many open files" in report.cases[0].message
        assert report.score == 0.0
        assert judge.run(source).verdict is Verdict.AC
    assert no_zombies()


# ------------------------------------------------------------------------- many, and time


def test_64_judges_at_once_all_say_the_right_thing() -> None:
    problem = Problem.load(ROOT)
    cases = load_cases(problem)
    chosen = [*cases[:2], cases[-1]]
    before = set(descendants(os.getpid()))

    def one(number: int) -> tuple[bool, Verdict, list[str]]:
        right = number % 2 == 0
        source = RIGHT.read_bytes() if right else b"def encoder_block(x, *a):\n    return x\n"
        # So many share two cores here that wall limits mean nothing.
        with Judge(problem, cases=chosen, time_scale=100.0) as judge:
            report = judge.run(source)
        return right, report.verdict, report.isolation.proved

    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(one, range(64)))
    for right, verdict, proved in found:
        assert verdict is (Verdict.AC if right else Verdict.WA)
        assert len(proved) == 4
    assert set(descendants(os.getpid())) <= before
    assert no_zombies()


def test_a_clock_that_is_set_changes_no_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter(range(10**9, -(10**9), -86_400))
    monkeypatch.setattr(time, "time", lambda: float(next(readings)))
    monkeypatch.setattr(time, "time_ns", lambda: next(readings) * 10**9)
    problem = Problem.load(ROOT)
    with Judge(problem, time_scale=0.1) as judge:
        assert judge.run(RIGHT, cases=judge.cases[:3]).verdict is Verdict.AC
        hanging = judge.run(ANNOUNCES_AND_WAITS, cases=judge.cases[:1])
        assert hanging.verdict is Verdict.TLE
        assert 0.1 < hanging.cases[0].time_s < 10


@pytest.mark.parametrize("role", BARE)
def test_a_worker_that_is_stopped_is_out_of_time(role: str, drive: Drive) -> None:
    result = drive(role, ["exhaust/stop_itself"], scale=0.1)["results"]["exhaust/stop_itself"]
    assert (result["verdict"], result["reason"]) == ("TLE", "call-time")
    assert (result["left"], result["next"]) == (0, "AC")


def test_layers_that_change_between_workers_are_a_judge_error() -> None:
    problem = Problem.load(ROOT)
    with Judge(problem) as judge:
        assert len(judge.isolation.proved) == 4
        judge._sandbox.expect_layers({**judge.isolation.layers, "seccomp": "ok (another)"})
        report = judge.run(RIGHT, cases=judge.cases[:1])
    assert report.verdict is Verdict.JE
    assert "seccomp: ok (another) then, ok now" in report.cases[0].message
    assert json.loads(report.to_json())["score"] == 0.0
