"""`make bench`: measure, print the goals, and write docs/performance.md."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks import measure
from benchmarks.document import Measured, goals, write
from benchmarks.peers import peers
from judge.problem import Problem

PARTS = ("floor", "cold", "warm", "many", "batch", "peers")


@click.command()
@click.option("--rounds", default=7, show_default=True, help="How often each thing is timed.")
@click.option("--quick", is_flag=True, help="Fewer sizes: a few minutes; writes nothing.")
@click.option("--only", type=click.Choice(PARTS), multiple=True, help="Only these parts.")
@click.option("--write/--no-write", "wanted", default=True, help="Write docs/performance.md.")
def main(rounds: int, quick: bool, only: tuple[str, ...], wanted: bool) -> None:
    """Measure this judge beside a bare script, graders as people write them, and other tools."""
    problem = Problem.find(Path(__file__).parent)
    parts = only or PARTS

    def say(what: str) -> None:
        click.echo(f"measuring {what} …", err=True)

    measured = Measured(rounds)

    def keep() -> None:
        # After every part, so that what ends it loses that part alone.
        if wanted and not quick:
            write(measured)

    with measure.scratch() as name:
        folder = Path(name)
        if "floor" in parts:
            measured.floor = measure.floor(rounds, say)
        if "cold" in parts:
            counts = (0, 30) if quick else (0, 3, 30, 300, 3000)
            measured.cold = measure.cold(problem, counts, rounds, say, folder)
            keep()
        if "warm" in parts:
            measured.warm = measure.warm(problem, 3 * rounds, say, folder)
            keep()
        if "many" in parts:
            for count, times in ((20, 3),) if quick else ((1, rounds), (100, 1), (1000, 1)):
                measured.many[count] = _many(problem, count, times, say, folder)
                keep()
        if "batch" in parts:
            sizes = (100, 300) if quick else (1, 100, 1000, 10_000)
            measured.batches, measured.bounds = measure.batches(problem, sizes, say, folder)
            keep()
        if "peers" in parts and not quick:
            measured.peers = peers(problem, say, folder)
            keep()
    for what, goal, said, holds in goals(measured):
        click.echo(f"{'holds' if holds else 'FAILS':6} {what}: {said} (goal: {goal})")


def _many(
    problem: Problem, count: int, rounds: int, say: measure.Say, folder: Path
) -> dict[str, measure.Sample]:
    return measure.many_submissions(problem, count, rounds, say, folder)


if __name__ == "__main__":
    main()
