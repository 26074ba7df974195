"""Who is measured: this judge, graders as people write them, and other tools where installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BARE = "bare script"
OURS = "judge run"

Grade = Callable[[Path, Path], None]
"""Judges one submission on a bundle's cases; raises when it is not accepted."""


@dataclass(frozen=True)
class Contestant:
    """One way to judge.

    Args:
        name: as tables and plots show it.
        grade: judges one submission.
        most_cases: more would take minutes; they are left out, and the table says so.
        most_submissions: likewise, one after the other.
        protects: what keeps the submission from the answers.
    """

    name: str
    grade: Grade
    most_cases: int
    most_submissions: int
    protects: str


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    """Run a command to its end, quietly; raises CalledProcessError when it fails."""
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    subprocess.run(
        command,
        check=True,
        cwd=ROOT,
        env={**os.environ, **one_thread, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )


def _bare(bundle: Path, submission: Path) -> None:
    run([sys.executable, "-m", "benchmarks.graders.bare", str(bundle), str(submission)])


def _ours(bundle: Path, submission: Path) -> None:
    command = [str(Path(sys.executable).with_name("judge")), "run", str(submission)]
    run([*command, "--problem", str(bundle), "--format", "json"])


def _pytest(bundle: Path, submission: Path) -> None:
    file = "benchmarks/graders/grade_by_pytest.py"
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull]
    # Plugins that this project's own tests need are no grader's cost.
    settings = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(ROOT), file],
        {"BUNDLE": str(bundle), "SUBMISSION": str(submission), **settings},
    )


def _child(how: str) -> Grade:
    def grade(bundle: Path, submission: Path) -> None:
        module = "benchmarks.graders.child"
        run([sys.executable, "-m", module, how, str(bundle), str(submission)])

    return grade


CONTESTANTS = (
    Contestant(BARE, _bare, 3000, 1000, "nothing"),
    Contestant(OURS, _ours, 3000, 100, "all layers, proved at every start"),
    Contestant("pytest grader", _pytest, 3000, 100, "nothing"),
    Contestant("child per submission", _child("submission"), 3000, 100, "another process"),
    Contestant("child per case", _child("case"), 30, 1, "another process"),
)


def problemtools() -> str | None:
    """Return the path of verifyproblem, where problemtools is installed."""
    return os.environ.get("VERIFYPROBLEM") or shutil.which("verifyproblem")


def bapctools() -> str | None:
    """Return the path of bt, where BAPCtools is installed."""
    return os.environ.get("BT") or shutil.which("bt")


def seconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
