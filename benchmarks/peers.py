"""Other judges on the same cases, where they are installed; benchmarks/peers.md says how."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.contestants import BARE, CONTESTANTS, ROOT, bapctools, problemtools, run, seconds
from benchmarks.measure import REFERENCE, Say
from judge.problem import Problem

ROUNDS = 3


def peers(problem: Problem, say: Say, folder: Path) -> dict[str, float]:
    """Return median seconds of one correct submission on this bundle, by tool."""
    found: dict[str, Callable[[], object]] = {}
    verify, bt = problemtools(), bapctools()
    if verify:
        package = _export("kattis-2023-07-draft", folder)
        options = ["-p", "submissions", "-s", "accepted/reference"]
        found["problemtools verifyproblem"] = lambda: _quiet([verify, *options, str(package)])
    if bt:
        package = _export("bapctools", folder)
        found["BAPCtools bt run"] = lambda: _quiet(
            [bt, "run", str(package), "submissions/accepted/reference.py"]
        )
    if not found:
        return {}
    say(f"peers: {', '.join(found)}")
    found[BARE] = lambda: CONTESTANTS[0].grade(problem.folder, REFERENCE)
    found["judge run"] = lambda: CONTESTANTS[1].grade(problem.folder, REFERENCE)
    return {
        name: statistics.median(seconds(action) for _ in range(ROUNDS))
        for name, action in found.items()
    }


def _export(target: str, folder: Path) -> Path:
    import sys

    run([sys.executable, "-m", "judge", "export", target, "--output", str(folder / target)])
    return next(p.parent for p in (folder / target).rglob("problem.yaml"))


def _quiet(command: list[str]) -> None:
    # What a tool thinks of other submissions in the package is no matter here.
    subprocess.run(
        command, check=False, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
