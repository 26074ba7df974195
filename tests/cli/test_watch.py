"""`judge watch` judges again on every save, and says what has changed."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from judge.cli.watch import changes
from judge.verdicts import CaseResult, Verdict
from tests.conftest import ROOT

RIGHT = (ROOT / "reference" / "encoder_block.py").read_text(encoding="utf-8")
WRONG = RIGHT.replace("/ np.sqrt(d_k)", "")
PATIENCE_S = 60


class Watching:
    """A running `judge watch`, whose lines can be waited for."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "judge", "watch", "--problem", str(ROOT), *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)

    def until(self, text: str) -> list[str]:
        """Return the lines up to the first that holds a text."""
        seen = []
        while not any(text in line for line in seen[-1:]):
            seen.append(self._lines.get(timeout=PATIENCE_S))
        return seen

    def end(self) -> int:
        self.process.send_signal(2)
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        self.process.stdout.close()
        return code


@pytest.fixture
def watching(tmp_path):
    started = []

    def start(*arguments: str) -> Watching:
        started.append(Watching(tmp_path, *arguments))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end()


def test_every_save_is_judged_and_compared_with_the_run_before(tmp_path, watching):
    file = tmp_path / "mine.py"
    file.write_text(WRONG)
    watch = watching(file.name, "--group", "sample")
    assert watch.until("of 4 cases")[-1].startswith("WA")
    # As an editor does it: another file takes the name.
    (tmp_path / "mine.py~").write_text(RIGHT)
    (tmp_path / "mine.py~").replace(file)
    assert watch.until("of 4 cases")[-1].startswith("AC")
    assert "Since the last run 1 newly pass: sample/two-heads" in watch.until("Since")[-1]
    file.write_text(WRONG)
    assert "Since the last run 1 newly fail: sample/two-heads" in watch.until("Since")[-1]
    assert watch.end() == 130


def test_a_file_that_is_not_there_yet_is_waited_for(tmp_path, watching):
    file = tmp_path / "mine.py"
    watch = watching(file.name, "--group", "sample")
    watch.until("waiting for it")
    file.write_text(RIGHT)
    assert watch.until("of 4 cases")[-1].startswith("AC")


def test_changes_are_named_both_ways():
    now = [
        CaseResult(name=name, group="g", verdict=verdict)
        for name, verdict in [("a", Verdict.AC), ("b", Verdict.WA), ("c", Verdict.AC)]
    ]
    before = {"a": Verdict.TLE, "b": Verdict.AC, "c": Verdict.AC}
    assert changes(before, now) == [
        "Since the last run 1 newly pass: a",
        "Since the last run 1 newly fail: b",
    ]
    same = {case.name: case.verdict for case in now}
    assert changes(same, now) == ["Since the last run: the same cases pass."]
