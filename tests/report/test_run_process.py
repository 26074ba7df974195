"""`judge run` as a process: terminals, pipes, Ctrl-C, and a debugger."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import time

from tests.judge.processes import all_ended, descendants, watch
from tests.report.commands import run, start
from tests.report.conftest import REFERENCE

PATIENCE_S = 60.0


def read_until(descriptor: int, wanted: bytes) -> bytes:
    """Read from a terminal until it has shown something; fails when it never does."""
    seen = b""
    end = time.monotonic() + PATIENCE_S
    while wanted not in seen:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        assert ready, seen
        try:
            piece = os.read(descriptor, 4096)
        except OSError:
            piece = b""
        assert piece, seen
        seen += piece
    return seen


def read_rest(descriptor: int) -> bytes:
    """Read from a terminal until nobody holds its other end."""
    seen = b""
    with contextlib.suppress(OSError):
        while piece := os.read(descriptor, 4096):
            seen += piece
    return seen


def test_interrupting_tells_so_and_leaves_no_process_behind(write):
    path = write("def encoder_block(*arguments):\n    while True:\n        pass\n")
    ours, theirs = pty.openpty()
    process = start("run", path, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    try:
        progress = read_until(ours, b"cases")
        assert re.search(rb"of \d+ cases", progress)
        handles = watch(descendants(process.pid))
        assert len(handles) >= 2
        process.send_signal(signal.SIGINT)
        end = read_rest(ours)
        assert process.wait(PATIENCE_S) == 130
        assert end.endswith(b"interrupted\r\n")
        assert b"Traceback" not in end
        assert all_ended(handles)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_a_reader_that_goes_away_is_no_fault(wrong):
    process = start("run", wrong, "-v", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE_S) == 1
    assert errors == b""


def test_piped_output_has_neither_colours_nor_progress(write):
    done = run(
        "run", write("def encoder_block(*a):\n    while True: pass\n"), "--case", "one-token"
    )
    assert done.code == 1
    assert done.err == ""
    assert "\x1b" not in done.out
    assert "time limit exceeded" in done.out


def test_a_terminal_gets_colours_and_its_width_counts(wrong):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "50", "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    process = start("run", wrong, "--group", "sample", stdout=theirs, env=environment)
    os.close(theirs)
    text = read_rest(ours).decode()
    os.close(ours)
    assert process.wait(PATIENCE_S) == 1
    assert "\x1b[1;31mWA\x1b[0m" in text
    plain = text.replace("\x1b[0m", "").replace("\x1b[1m", "").replace("\x1b[2m", "")
    assert max(len(line) for line in plain.splitlines() if "\x1b" not in line) <= 50


STOPPING = """
def encoder_block(x, *rest):
    breakpoint()
    return x
"""


def test_a_breakpoint_works_under_debug_and_is_said_to_be_unprotected(write):
    path = write(STOPPING)
    done = run(
        "run", path, "--debug", "--case", "sample/two-heads", input=b"p x.shape\nc\n", env=None
    )
    assert done.code == 1
    assert "(1, 2, 4)" in done.out
    assert "no isolation" in done.err
    assert "wrong values" in done.out


def test_the_debugger_opens_on_a_terminal_where_an_exception_was_raised(write):
    path = write(
        "def encoder_block(x, *rest):\n    small = x[0]\n    return small @ x @ small.T[0]\n"
    )
    ours, theirs = pty.openpty()
    arguments = ("run", path, "--debug", "--case", "sample/two-heads")
    process = start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        shown = read_until(ours, b"(Pdb) ")
        assert b"ValueError" in shown
        assert b"line 3" in shown
        os.write(ours, b"p small.shape\n")
        assert b"(2, 4)" in read_until(ours, b"(Pdb) ")
        os.write(ours, b"q\n")
        read_rest(ours)
        assert process.wait(PATIENCE_S) == 1
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_debug_finds_the_first_failing_case_by_itself(write):
    text = REFERENCE.read_text(encoding="utf-8")
    path = write(
        text.replace("x.mean(axis=-1", "x.mean(axis=-2") + "\nprint('in process', __name__)\n"
    )
    done = run("run", path, "--debug")
    assert done.code == 1
    assert "sample/single-token:" in done.out
    assert "in process solution" in done.out


def test_debug_says_when_nothing_fails(write):
    path = write(REFERENCE.read_text(encoding="utf-8"))
    done = run("run", path, "--debug")
    assert done.code == 0
    assert "every case is accepted" in done.err


def test_debug_shows_a_learner_no_secret_case(write):
    path = write("def encoder_block(x, *rest):\n    print(x)\n    return x\n")
    done = run("run", path, "--debug", "--case", "secret/one-token", "--audience", "learner")
    assert done.code == 2
    assert done.out == ""


def test_debug_takes_one_file(wrong):
    for arguments in ((wrong, wrong), ("-",), (wrong, "--format", "json")):
        done = run("run", *arguments, "--debug", input=b"")
        assert done.code == 2
        assert "--debug" in done.err


def test_an_exception_under_debug_shows_the_files_own_lines(write):
    path = write(
        "def encoder_block(x, *rest):\n    return helper(x)\n\n\ndef helper(x):\n    return 1 / 0\n"
    )
    done = run("run", path, "--debug", "--case", "sample/two-heads", input=b"")
    assert done.code == 1
    assert "ZeroDivisionError" in done.err
    assert "return 1 / 0" in done.err
    assert "judge/cli" not in done.err


def test_a_file_that_does_not_load_is_told_under_debug(write):
    done = run("run", write("def f(:\n"), "--debug", input=b"")
    assert done.code == 1
    assert "SyntaxError" in done.err
    assert "judge/cli" not in done.err
