"""Measurements: in turn within one run, so that a busy machine is as busy for all of them."""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bounds import Bounds, bounds
from benchmarks.bundles import make_bundle
from benchmarks.contestants import BARE, CONTESTANTS, ROOT, Contestant, run, seconds
from benchmarks.steps import Steps, steps
from judge.problem import Problem
from judge.runner import Judge
from judge.verdicts import Verdict

REFERENCE = ROOT / "reference" / "encoder_block.py"
Say = Callable[[str], None]
_LOOKS_EVERY_S = 0.02


@dataclass(frozen=True)
class Sample:
    """Seconds of one contestant, one a round, and their ratios to the bare script of that round."""

    name: str
    seconds: tuple[float, ...]
    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the seconds."""
        return statistics.median(self.seconds)

    @property
    def ratio(self) -> float:
        """Median of the ratios."""
        return statistics.median(self.ratios)


def in_turn(
    actions: dict[str, Callable[[], object]], rounds: int, yardstick: str, *, warm_up: bool = True
) -> dict[str, Sample]:
    """Time actions, each once a round, in an order that turns; after one round that is thrown away.

    Args:
        actions: what to time, by name.
        rounds: how often.
        yardstick: the name of the action that ratios are taken to.
        warm_up: whether there is that first round.
    """
    names = list(actions)
    for name in names if warm_up else ():
        actions[name]()
    found: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            found[name].append(seconds(actions[name]))
    base = found[yardstick]
    return {
        name: Sample(name, tuple(times), tuple(t / b for t, b in zip(times, base, strict=True)))
        for name, times in found.items()
    }


def cold(
    problem: Problem, counts: Sequence[int], rounds: int, say: Say, folder: Path
) -> dict[int, dict[str, Sample]]:
    """Time one submission from the command line on more and more cases; count 0 is this bundle."""
    found = {}
    for count in counts:
        bundle = make_bundle(problem, folder / f"cases-{count}", count) if count else problem.folder
        chosen = [c for c in CONTESTANTS if count <= c.most_cases]
        say(f"cold, {count or 'this bundle'}: {', '.join(c.name for c in chosen)}")
        actions = {c.name: _grading(c, bundle) for c in chosen}
        found[count] = in_turn(actions, rounds if count < 1000 else 3, BARE)
    return found


def _grading(contestant: Contestant, bundle: Path) -> Callable[[], object]:
    return lambda: contestant.grade(bundle, REFERENCE)


@dataclass(frozen=True)
class Warm:
    """Milliseconds of warm verdicts on 30 small cases, and of each case beyond them; the steps."""

    verdict: tuple[float, ...]
    each_case: tuple[float, ...]
    without_layers: tuple[float, ...]
    steps: Steps


def warm(problem: Problem, rounds: int, say: Say, folder: Path) -> Warm:
    """Time warm verdicts with one `Judge`, with all layers and without."""
    say("warm: 30 and 300 small cases")
    few = Problem.load(make_bundle(problem, folder / "warm-30", 30))
    many = Problem.load(make_bundle(problem, folder / "warm-300", 300))
    from judge.sandbox.states import LAYERS

    source = REFERENCE.read_bytes()
    judges = [Judge(few), Judge(many), Judge(few, layers_off=frozenset(LAYERS))]
    try:
        times: list[list[float]] = [[], [], []]
        for number in range(rounds + 3):
            for judge, kept in zip(judges, times, strict=True):
                taken = seconds(lambda judge=judge: _accepted(judge, source))
                if number >= 3:
                    kept.append(taken * 1e3)
    finally:
        for judge in judges:
            judge.close()
    each = tuple((b - a) / 270 for a, b in zip(times[0], times[1], strict=True))
    return Warm(tuple(times[0]), each, tuple(times[2]), steps(few, source, rounds))


def _accepted(judge: Judge, source: bytes) -> None:
    if judge.run(source).verdict is not Verdict.AC:
        raise AssertionError("the reference is not accepted")


@dataclass(frozen=True)
class Batch:
    """One batch: how many submissions, seconds, and the largest memory of its main process."""

    count: int
    seconds: float
    peak_bytes: int

    @property
    def rate(self) -> float:
        """Submissions a second, starting and ending included."""
        return self.count / self.seconds


def batches(
    problem: Problem, counts: Sequence[int], say: Say, folder: Path
) -> tuple[list[Batch], Bounds]:
    """Judge folders of accepted submissions with `judge batch`, each source another one.

    Returns:
        Each batch, and what bounds all of them.
    """
    texts = [
        path.read_text(encoding="utf-8")
        for path in sorted((problem.folder / "submissions" / "accepted").glob("*.py"))
    ]
    quick = _quick(problem, texts)
    say("what bounds a batch: the submissions' own work, and what a second core adds")
    limit = bounds(problem, quick)
    found = []
    for count in counts:
        say(f"batch of {count}")
        inside = folder / f"batch-{count}"
        inside.mkdir()
        for number in range(count):
            text = quick[number % len(quick)]
            (inside / f"s{number:05}.py").write_text(f"{text}\n# {number}\n", encoding="utf-8")
        found.append(_batch(inside, folder / f"batch-{count}.jsonl", count))
    return found, limit


def _quick(problem: Problem, texts: Sequence[str]) -> list[str]:
    """Return the accepted submissions; those that take seconds on purpose are left out."""
    with Judge(problem) as judge:
        return [
            text
            for text in texts
            if (report := judge.run(text)).verdict is Verdict.AC and report.time.cpu_s < 1.0
        ]


def _batch(inside: Path, output: Path, count: int) -> Batch:
    command = [sys.executable, "-m", "judge", "batch", str(inside), "-o", str(output)]
    command += ["--problem", str(ROOT)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0

    def wait() -> None:
        nonlocal peak
        while process.poll() is None:
            peak = max(peak, _peak(process.pid))
            time.sleep(_LOOKS_EVERY_S)

    taken = seconds(wait)
    if process.returncode != 0:
        raise AssertionError(f"judge batch ended with {process.returncode}")
    return Batch(count, taken, peak)


def _peak(pid: int) -> int:
    """Return the largest resident set that a process has had, in bytes; 0 when it has ended.

    Not what wait4(2) tells: that counts what the process was before it became this program.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    kib = next((line.split()[1] for line in lines if line.startswith("VmHWM:")), "0")
    return int(kib) * 1024


def many_submissions(
    problem: Problem, count: int, rounds: int, say: Say, folder: Path
) -> dict[str, Sample]:
    """Time a number of submissions one after the other, as each grader takes them, and `batch`."""
    say(f"{count} submissions")
    bundle = make_bundle(problem, folder / f"many-{count}", 30)
    files = []
    for number in range(count):
        path = folder / f"many-{count}-sources" / f"s{number:04}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(REFERENCE.read_text(encoding="utf-8") + f"# {number}\n", encoding="utf-8")
        files.append(path)

    def all_by(contestant: Contestant) -> Callable[[], object]:
        return lambda: [contestant.grade(bundle, file) for file in files]

    outputs = _names(folder, count)

    def by_batch() -> None:
        command = [sys.executable, "-m", "judge", "batch", str(files[0].parent)]
        run([*command, "-o", str(next(outputs)), "--problem", str(bundle)])

    actions = {c.name: all_by(c) for c in CONTESTANTS if count <= c.most_submissions}
    actions["judge batch"] = by_batch
    return in_turn(actions, rounds, BARE, warm_up=count == 1)


def _names(folder: Path, count: int) -> Iterator[Path]:
    for number in itertools.count():
        yield folder / f"results-{count}-{number}.jsonl"


def floor(rounds: int, say: Say) -> dict[str, Sample]:
    """Time what a cold verdict can't do without: Python's start, NumPy's import."""
    say("the floor: Python, NumPy")
    actions = {
        "python -I -c pass": lambda: run([sys.executable, "-I", "-c", "pass"]),
        "import numpy": lambda: run([sys.executable, "-I", "-c", "import numpy"]),
        BARE: lambda: CONTESTANTS[0].grade(ROOT, REFERENCE),
        "judge run": lambda: CONTESTANTS[1].grade(ROOT, REFERENCE),
    }
    return in_turn(actions, rounds, BARE)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that goes when it is closed."""
    return tempfile.TemporaryDirectory(prefix="judge-bench-")
