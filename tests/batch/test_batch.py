"""`judge batch` through the command line, with real pools of zygotes."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from judge.batch.collect import Found, collect
from judge.batch.drive import Drive
from judge.batch.jobs import Job, Setting, close_judge, judge_job
from judge.batch.pool import usable_cores, zygote_pool
from judge.batch.results import read_results
from judge.batch.run import AGAIN_NOTE, Batch
from judge.cli import _run
from judge.problem import bundle_digest
from tests.conftest import ROOT

RIGHT = (ROOT / "reference" / "encoder_block.py").read_text(encoding="utf-8")
WRONG = RIGHT.replace("/ np.sqrt(d_k)", "")
CRASH = "import os\ndef encoder_block(*a):\n    os.abort()\n"


@pytest.fixture
def handed_in(tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name, source in {"ada": RIGHT, "bob": WRONG, "cleo": CRASH}.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def batch(*arguments: object) -> int:
    return _run(["batch", "--problem", str(ROOT), *map(str, arguments)])


def verdicts(path: Path) -> dict[str, str]:
    return {result.id: str(result.report.verdict) for result in read_results(path)}


def test_everyone_gets_a_verdict_and_one_bad_file_disturbs_no_other(handed_in, tmp_path, capsys):
    output, table = tmp_path / "out.jsonl", tmp_path / "out.csv"
    summary, feedback = tmp_path / "out.html", tmp_path / "feedback"
    roster = tmp_path / "roster.txt"
    roster.write_text("ada\nbob\nzoe\n")
    (handed_in / "dan.py").write_text("# another hand, the same thoughts\n" + WRONG)
    code = batch(
        handed_in, "-o", output, "--csv", table, "--summary", summary, "--feedback", feedback,
        "--roster", roster, "--jobs", 2,
    )  # fmt: skip
    assert code == 0
    assert verdicts(output) == {"ada": "AC", "bob": "WA", "cleo": "RTE", "dan": "WA"}
    printed = capsys.readouterr().out
    assert "4 submissions: 1 AC, 2 WA, 1 RTE" in printed
    assert "missing (1): zoe" in printed
    assert "not on the roster (2): cleo, dan" in printed
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [row["id"] for row in rows] == ["ada", "bob", "cleo", "dan"]
    assert rows[1]["diagnosis"] == rows[3]["diagnosis"] != ""
    page = summary.read_text()
    assert "Equal sources" in page
    assert "bob, dan" in page
    assert 'href="feedback/ada.html"' in page
    assert sorted(p.name for p in feedback.iterdir()) == [
        f"{name}.html" for name in ("ada", "bob", "cleo", "dan")
    ]
    assert "secret/" in (feedback / "bob.html").read_text()


def test_a_page_for_a_learner_holds_no_secret_answer(handed_in, tmp_path, problem):
    from judge.testcases import load_cases

    feedback = tmp_path / "feedback"
    leak = (
        WRONG
        + "\n_block = encoder_block\ndef encoder_block(*a):\n    print(a)\n    return _block(*a)\n"
    )
    (handed_in / "ada.py").write_text(leak)
    assert batch(handed_in / "ada.py", "-o", tmp_path / "o.jsonl", "--feedback", feedback) == 0
    page = (feedback / "ada.html").read_text()
    for case in load_cases(problem):
        # An answer's first element, or an input's, in all its digits.
        for value in (case.expected.flat[0], case.inputs[1].flat[0]):
            digits = repr(float(value))
            if case.group == "secret" and len(digits) > 8:
                assert digits not in page


def test_resume_judges_only_what_is_owed(handed_in, tmp_path, capsys):
    output = tmp_path / "out.jsonl"
    assert batch(handed_in, "-o", output) == 0
    # One line is torn, one file has changed, one is new: these three are owed.
    lines = output.read_bytes().splitlines(keepends=True)
    output.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    kept = [result.id for result in read_results(output)]
    (handed_in / f"{kept[0]}.py").write_text(RIGHT + "\n# better\n")
    (handed_in / "new.py").write_text(RIGHT)
    capsys.readouterr()
    assert batch(handed_in, "-o", output) == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert batch(handed_in, "-o", output, "--resume") == 0
    assert "4 submissions, 1 of them from before" in capsys.readouterr().out
    assert sum(1 for _ in read_results(output)) == 5
    assert verdicts(output).keys() == {"ada", "bob", "cleo", "new"}


def test_other_verdicts_than_before_are_listed(handed_in, tmp_path, capsys):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    assert batch(handed_in / "ada.py", handed_in / "bob.py", "-o", old) == 0
    (handed_in / "bob.py").write_text(RIGHT)
    assert batch(handed_in / "ada.py", handed_in / "bob.py", "-o", new, "--against", old) == 0
    printed = capsys.readouterr().out
    assert "changed: bob: WA before, AC now" in printed
    assert "changed: ada" not in printed


def test_a_kill_in_the_middle_loses_only_what_was_running(tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for number in range(40):
        (folder / f"s{number:02}.py").write_text(f"# {number}\n{RIGHT}")
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "judge", "batch", str(folder), "-o", str(output)]
    process = subprocess.Popen([*command, "--problem", str(ROOT)], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (output.exists() and output.read_bytes().count(b"\n") >= 3):
        assert time.monotonic() < deadline
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {result.id for result in read_results(output)}
    assert len(before) >= 3
    assert batch(folder, "-o", output, "--resume") == 0
    found = [result.id for result in read_results(output)]
    assert sorted(found) == [f"s{number:02}" for number in range(40)]


def test_ctrl_c_ends_with_130_and_leaves_whole_lines(tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for number in range(40):
        (folder / f"s{number:02}.py").write_text(f"# {number}\n{RIGHT}")
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "judge", "batch", str(folder), "-o", str(output)]
    process = subprocess.Popen(
        [*command, "--problem", str(ROOT)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not (output.exists() and output.read_bytes().count(b"\n") >= 2):
        assert time.monotonic() < deadline
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.decode().strip() == "interrupted"
    assert output.read_bytes().endswith(b"\n")


def test_wrong_uses_are_named(tmp_path, handed_in, capsys):
    for arguments, message in [
        ([tmp_path / "nowhere"], "nowhere: no such file or folder"),
        ([handed_in, "--id-regex", "("], "--id-regex: missing )"),
        ([handed_in, "--resume", "--force"], "exclude one another"),
        ([handed_in, "-o", tmp_path / "no" / "out.jsonl"], "there is no folder"),
    ]:
        output = [] if "-o" in arguments else ["-o", tmp_path / "o.jsonl"]
        assert batch(*arguments, *output) == 2
        assert message in capsys.readouterr().err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert batch(empty, "-o", tmp_path / "o.jsonl") == 2
    assert "a submission is a .py file" in capsys.readouterr().err


# ------------------------------------------------------------------------------ the drive


def die_on_poison(setting: Setting, job: Job) -> bytes:
    """Judge, but end the process on a submission that says so, as a fault of the judge would."""
    if b"poison" in job.source:
        os.kill(os.getpid(), signal.SIGKILL)
    return judge_job(setting, job)


@pytest.fixture
def setting(problem):
    yield Setting(problem.folder, bundle_digest(problem.folder), weak=True)
    # Some tests judge in this process, whose sandbox would else stay until it ends.
    close_judge()


def found_in(folder: Path) -> tuple[Found, ...]:
    return collect([folder]).submissions


def test_a_submission_that_kills_the_judging_process_takes_nobody_with_it(
    handed_in, problem, setting
):
    (handed_in / "bad.py").write_text("# poison\n" + RIGHT)
    drive = Drive(problem, setting, lambda: zygote_pool(2), 4, die_on_poison)
    judged = {found.id: judged for found, judged in drive.judge(found_in(handed_in))}
    assert {name: str(j.report.verdict) for name, j in judged.items()} == {
        "ada": "AC", "bad": "JE", "bob": "WA", "cleo": "RTE",
    }  # fmt: skip
    message = judged["bad"].report.cases[0].message
    assert message == (
        "the judge failed, not the submission: the process that judged it died 3 times"
    )
    assert judged["bad"].report.score == 0


class Counting(Executor):
    """Judges here and now, and remembers how much was handed in at once."""

    def __init__(self) -> None:
        self.waiting: list[Future[bytes]] = []
        self.most = 0

    def submit(self, function, /, *arguments, **options):
        future: Future[bytes] = Future()
        self.waiting = [one for one in self.waiting if not one.done()] + [future]
        self.most = max(self.most, len(self.waiting))
        future.set_result(function(*arguments, **options))
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass


def test_no_more_is_read_ahead_than_the_window(problem, setting, tmp_path):
    read = []

    class Noted(Found):
        def read(self, most):
            read.append(self.id)
            return super().read(most)

    for number in range(12):
        (tmp_path / f"{number:02}.py").write_text("x = 1\n")
    files = [Noted(f.id, f.path, f.file) for f in found_in(tmp_path)]
    drive = Drive(problem, setting, Counting, 3)
    done = 0
    for _ in drive.judge(files):
        done += 1
        assert len(read) <= done + 3
    assert done == 12


def test_a_borderline_time_out_is_run_once_more_alone(problem, setting, tmp_path):
    once = tmp_path / "once"
    calls: list[str] = []

    def slow_at_first(setting: Setting, job: Job) -> bytes:
        calls.append(job.id)
        if job.id == "slow" and not once.exists():
            once.touch()
            hanging = (
                job.source
                + b"\n_n = 0\n_block = encoder_block\ndef encoder_block(*a):\n"
                + (b"    global _n; _n += 1\n    while _n == 3: pass\n    return _block(*a)\n")
            )
            return judge_job(setting, Job(job.id, job.name, hanging))
        return judge_job(setting, job)

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "slow.py").write_text(RIGHT)
    (folder / "other.py").write_text(RIGHT)
    drive = Drive(problem, setting, Counting, 2, slow_at_first)
    batch_ = Batch(drive, tmp_path / "out.jsonl")
    rows = batch_.run(found_in(folder), lambda row: None)
    assert calls.count("slow") == 2
    assert {row.id: row.verdict for row in rows} == {"other": "AC", "slow": "AC"}
    lines = [r for r in read_results(tmp_path / "out.jsonl") if r.id == "slow"]
    assert [str(line.report.verdict) for line in lines] == ["TLE", "AC"]
    assert AGAIN_NOTE in lines[1].report.notes


def test_another_bundle_than_asked_for_is_refused(problem, setting):
    from dataclasses import replace

    from judge.faults import BundleError

    other = replace(setting, bundle="sha256:" + "0" * 64)
    with pytest.raises(BundleError, match="was asked for"):
        judge_job(other, Job("a", "a.py", RIGHT.encode()))


def test_cores_are_counted_by_affinity():
    mine = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, mine)


def test_the_pool_has_the_shape_of_an_executor():
    with zygote_pool(1) as pool:
        assert isinstance(pool, ProcessPoolExecutor)
        future = pool.submit(os.getpid)
        assert future.result() != os.getpid()
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result()
