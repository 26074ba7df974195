"""Other judges on the same cases, where they are installed; benchmarks/peers.md says how."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.contestants import BARE, CONTESTANTS, bapctools, problemtools, run, seconds
from benchmarks.measure import REFERENCE, Say
from judge.problem import Problem

ROUNDS = 3


def peers(problem: Problem, say: Say, folder: Path) -> dict[str, float]:
    """Return median seconds of one correct submission on this bundle, by tool."""
    found: dict[str, Callable[[], object]] = {}
    verify, bt = problemtools(), bapctools()
    if verify:
        package = _export("kattis-2023-07-draft", folder)
        found["problemtools verifyproblem"] = _accepting(
            [verify, "-p", "submissions", "-s", "accepted/reference", str(package)], package
        )
    if bt:
        package = _export("bapctools", folder)
        found["BAPCtools bt run"] = _accepting(
            [bt, "run", "--no-bar", "--jobs", "1", "submissions/accepted/reference"], package
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
    run([sys.executable, "-m", "judge", "export", target, "--output", str(folder / target)])
    return next(p.parent for p in sorted((folder / target).glob("*/problem.yaml")))


def _accepting(command: list[str], package: Path) -> Callable[[], None]:
    """Return what runs a tool in a package, and fails where it does not accept the submission."""
    programs = str(Path(command[0]).absolute().parent)
    settings = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(package.parent)}

    def judge() -> None:
        done = subprocess.run(
            command,
            cwd=package,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if not re.search(r"\bAC\b", done.stdout) or re.search(r"\b(WA|TLE|RTE)\b", done.stdout):
            raise AssertionError(
                f"{command[0]} did not accept the reference: {done.stdout[-2000:]}"
            )

    return judge
