"""What the operating system's layers cost: verdicts with and without them, in one run, in turn.

python -m benchmarks.layers [--rounds N]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from judge.problem import Problem
from judge.runner import Judge
from judge.sandbox.process import Sandbox
from judge.sandbox.selftest import prove
from judge.sandbox.states import LAYERS, NAMESPACES
from judge.testcases import load_cases
from judge.verdicts import Verdict

ROOT = Path(__file__).parent.parent
SMALL_CASES = 30
ALL_OFF = frozenset(LAYERS)
VARIANTS = {
    "all layers": frozenset[str](),
    "no layers": ALL_OFF,
    "namespaces alone": ALL_OFF - NAMESPACES,
    "landlock alone": ALL_OFF - {"landlock", "no-new-privileges"},
    "seccomp alone": ALL_OFF - {"seccomp", "no-new-privileges"},
    "limits alone": ALL_OFF - {"limits"},
}


def milliseconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1e3


def warm(rounds: int) -> dict[str, list[float]]:
    """Time a warm verdict on small cases, each variant once a round, in an order that turns."""
    problem = Problem.load(ROOT)
    cases = sorted(load_cases(problem), key=lambda case: case.expected.size)[:SMALL_CASES]
    source = (ROOT / "reference" / "encoder_block.py").read_bytes()
    judges = {name: Judge(problem, cases=cases, layers_off=off) for name, off in VARIANTS.items()}
    try:
        for judge in judges.values():
            for _ in range(5):
                assert judge.run(source).verdict is Verdict.AC
        found: dict[str, list[float]] = {name: [] for name in judges}
        names = list(judges)
        for number in range(rounds):
            for name in names[number % len(names) :] + names[: number % len(names)]:
                judge = judges[name]
                found[name].append(milliseconds(lambda judge=judge: judge.run(source)))
    finally:
        for judge in judges.values():
            judge.close()
    return found


def cold(rounds: int) -> dict[str, list[float]]:
    """Time the boot of a sandbox, and the self-test in a booted one."""
    found: dict[str, list[float]] = {"all layers": [], "no layers": [], "self-test": []}
    for _ in range(rounds):
        for name in ("all layers", "no layers"):
            with Sandbox(VARIANTS[name]) as sandbox:
                found[name].append(sandbox.boot.seconds * 1e3)
                if name == "all layers":
                    found["self-test"].append(milliseconds(lambda sandbox=sandbox: prove(sandbox)))
    return found


def table(title: str, found: dict[str, list[float]], base: str) -> None:
    """Print medians, quartiles, and differences from a variant, in milliseconds."""
    print(f"{title}\n  {'variant':<20}{'median':>9}{'quartiles':>18}{'difference':>13}")
    zero = statistics.median(found[base])
    for name, values in found.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"  {name:<20}{middle:>9.2f}{low:>9.2f} –{high:>7.2f}{middle - zero:>+13.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    table(f"warm verdict, {SMALL_CASES} small cases, ms", warm(rounds), "no layers")
    table("boot, ms", cold(max(rounds // 5, 2)), "no layers")


if __name__ == "__main__":
    main()
