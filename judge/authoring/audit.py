"""Run anyone's grader over right and wrong submissions: which mistakes does it accept?"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from judge.authoring.generate.parallel import usable_cores
from judge.mistakes import Mistakes
from judge.problem import Problem

PLACEHOLDER = "{file}"

Outcome = Literal["accepted", "rejected", "timed out"]
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Subject:
    """One submission to put before the grader.

    Args:
        name: a mistake's id, or a file.
        title: the mistake in a few words; empty for a right one.
        source: its bytes.
        right: whether it must be accepted.
        stage: the mistake's stage; empty for a right one.
    """

    name: str
    title: str
    source: bytes
    right: bool
    stage: str = ""


@dataclass(frozen=True)
class Audited:
    """What a grader said of one submission."""

    subject: Subject
    outcome: Outcome
    output: str


@dataclass(frozen=True)
class Grader:
    """A grader as a command.

    Args:
        command: words of the command; `{file}` stands for the submission's path.
        accepts: pattern that its output has when it accepts; the exit code 0 decides when None.
        file_name: name of the file that it is given.
        seconds: wall time of one run.
    """

    command: Sequence[str]
    accepts: re.Pattern[str] | None
    file_name: str
    seconds: float

    def judge(self, source: bytes) -> tuple[Outcome, str]:
        """Run the grader on one submission, in a folder that holds only that.

        Raises:
            OSError: the command can't be started.
        """
        with tempfile.TemporaryDirectory(prefix="audit-") as folder:
            path = Path(folder) / self.file_name
            path.write_bytes(source)
            words = [word.replace(PLACEHOLDER, str(path)) for word in self.command]
            with subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process:
                try:
                    output = process.communicate(timeout=self.seconds)[0].decode(errors="replace")
                except subprocess.TimeoutExpired:
                    return "timed out", ""
                finally:
                    # The grader's own children end with it, whatever it left running.
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.killpg(process.pid, signal.SIGKILL)
        if self.accepts is not None:
            accepted = self.accepts.search(output) is not None
        else:
            accepted = process.returncode == 0
        return ("accepted" if accepted else "rejected"), output


def subjects(problem: Problem, *, common: bool, only: Sequence[str]) -> list[Subject]:
    """Return what a grader is tried on: the right submissions first, then the mistakes.

    Args:
        problem: the bundle.
        common: leave out all but common mistakes.
        only: ids of mistakes, or names of files; all when empty.

    Raises:
        BundleError: the mistakes are broken.
    """
    reference = problem.folder / "reference" / problem.function_file
    files = [reference, *sorted((problem.folder / "submissions" / "accepted").glob("*.py"))]
    found = [
        Subject(path.relative_to(problem.folder).as_posix(), "", path.read_bytes(), right=True)
        for path in files
    ]
    mistakes = Mistakes.load(problem)
    found += [
        Subject(m.id, m.title, mistakes.source(m.id).encode(), right=False, stage=m.stage)
        for m in mistakes.known
        if (m.common or not common) and not m.below_tolerance
    ]
    return [s for s in found if not only or s.name in only or Path(s.name).name in only]


def audit(
    grader: Grader,
    chosen: Sequence[Subject],
    *,
    jobs: int | None = None,
    progress: Progress = lambda done, total, name: None,
) -> list[Audited]:
    """Put every submission before a grader.

    Args:
        grader: the grader.
        chosen: the submissions.
        jobs: runs at a time; as many as this process may use cores when None.
        progress: told of every run that is done.

    Returns:
        What it said, in the order of the submissions.

    Raises:
        OSError: the command can't be started.
    """
    found: dict[str, Audited] = {}
    with ThreadPoolExecutor(jobs or usable_cores()) as pool:
        futures = {pool.submit(grader.judge, subject.source): subject for subject in chosen}
        try:
            for future in as_completed(futures):
                subject = futures[future]
                found[subject.name] = Audited(subject, *future.result())
                progress(len(found), len(chosen), subject.name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[subject.name] for subject in chosen]


def to_text(audited: Sequence[Audited], grader: Grader) -> str:
    """Return what the audit says, for a terminal."""
    wrong = [a for a in audited if not a.subject.right]
    right = [a for a in audited if a.subject.right]
    let_through = [a for a in wrong if a.outcome == "accepted"]
    refused = [a for a in right if a.outcome != "accepted"]
    lines = [f"grader: {shlex.join(grader.command)}", ""]
    if let_through:
        lines.append(f"accepts {len(let_through)} of {len(wrong)} mistakes:")
        lines += [f"  {a.subject.name:<34} {a.subject.title}" for a in let_through]
    elif wrong:
        lines.append(f"rejects all {len(wrong)} mistakes")
    if refused:
        lines.append(f"rejects {len(refused)} of {len(right)} right submissions:")
        lines += [f"  {a.subject.name}{_late(a)}" for a in refused]
    elif right:
        lines.append(f"accepts all {len(right)} right submissions")
    return "\n".join(lines)


def _late(audited: Audited) -> str:
    return " (timed out)" if audited.outcome == "timed out" else ""
