"""`judge generate`: make the test cases, or say what is stale about them."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.problem import Problem

if TYPE_CHECKING:
    from judge.authoring.generate.make import MadeCase

MOST_REASONS = 5
MOST_PATHS = 10


@click.command(name="generate")
@click.option("--problem", "folder", metavar="DIR", help="The bundle; by default the nearest.")
@click.option("--check", is_flag=True, help="Write nothing; say what is stale, in under a second.")
@click.option("--prove", is_flag=True, help="Write nothing; compute every answer again, otherwise.")
@click.option(
    "--seed", type=click.IntRange(0), metavar="N", help="Make another set from this seed."
)
@click.option("--case", "name", metavar="NAME", help="Write nothing; show how one case is made.")
@click.option("--output", metavar="DIR", help="Write here instead of testcases/.")
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Processes; by default all cores."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("-v", "--verbose", is_flag=True, help="Say of every case why attempts fell.")
def command(
    folder: str | None,
    check: bool,
    prove: bool,
    seed: int | None,
    name: str | None,
    output: str | None,
    jobs: int | None,
    form: str,
    verbose: bool,
) -> int:
    """Make the test cases of a bundle: draw, admit, prove, write.

    Every case of generator/cases.yaml is drawn from the bundle's seed, admitted only where any
    sane float64 implementation stays within the tolerance, and answered by a proof. The same
    files come out on every machine. testcases/ is replaced whole, or not at all.

    \b
    Examples:
      judge generate                     make what is missing or stale
      judge generate --check             0: up to date, 1: stale, and what
      judge generate --prove             every answer by an independent oracle
      judge generate --seed 7            another set, in build/testcases-7
      judge generate --case secret/three-heads   how that case was found
    """
    if sum([check, prove, name is not None, seed is not None or output is not None]) > 1:
        raise click.UsageError("--check, --prove, --case and --seed/--output exclude one another")
    problem = Problem.load(folder) if folder else Problem.find()
    if check:
        return _check(problem, form)
    if prove:
        return _prove(problem, jobs, form)
    if name is not None:
        return _one(problem, name, form)
    return _generate(problem, seed, output, jobs, form, verbose)


def _check(problem: Problem, form: str) -> int:
    from judge.authoring.generate.folder import stale
    from judge.authoring.generate.run import load_plan

    found = stale(problem, load_plan(problem))
    return _say(
        found, "the test cases are up to date", "stale; make them again: judge generate", form
    )


def _prove(problem: Problem, jobs: int | None, form: str) -> int:
    from judge.authoring.generate.run import prove_again

    found = prove_again(problem, _Progress("cases proved again"), jobs)
    fine = "the second opinion agrees on every element of every case"
    return _say(found, fine, "the second opinion differs", form)


def _say(found: list[str], fine: str, wrong: str, form: str) -> int:
    if form == "json":
        click.echo(json.dumps({"format": 1, "found": found}))
    else:
        for line in found:
            click.echo(line)
        click.echo(f"{wrong} ({len(found)})" if found else fine)
    return 1 if found else 0


def _one(problem: Problem, name: str, form: str) -> int:
    from judge.authoring.generate.digests import case_digest, made_from
    from judge.authoring.generate.make import make_case
    from judge.authoring.generate.run import load_plan
    from judge.faults import did_you_mean

    plan = load_plan(problem)
    cases = {case.name: case for case in plan.cases}
    if name not in cases:
        raise click.UsageError(f"no case {name!r} in cases.yaml{did_you_mean(name, cases)}")
    digest = case_digest(cases[name], plan, problem.seed, made_from(problem))
    made = make_case(problem, plan, cases[name], problem.seed, digest)
    if form == "json":
        click.echo(json.dumps(_plain(made), indent=1))
    else:
        click.echo("\n".join(_describe(made, verbose=True)))
        click.echo(made.input_bytes.decode("ascii"), nl=False)
        click.echo(made.answer_bytes.decode("ascii"), nl=False)
    return 0


def _generate(
    problem: Problem,
    seed: int | None,
    output: str | None,
    jobs: int | None,
    form: str,
    verbose: bool,
) -> int:
    from judge.authoring.generate.run import generate
    from judge.testcases import FOLDER

    if output:
        target = Path(output).absolute()
    elif seed is None or seed == problem.seed:
        target = problem.folder / FOLDER
    else:
        target = problem.folder / "build" / f"testcases-{seed}"
    started = time.monotonic()
    made = generate(
        problem,
        target,
        problem.seed if seed is None else seed,
        _Progress("cases made"),
        jobs,
        _Progress("counterexamples made"),
    )
    size = sum(len(case.input_bytes) + len(case.answer_bytes) for case in made.cases)
    if form == "json":
        cases = [_plain(case) for case in made.cases]
        click.echo(json.dumps({"format": 1, "changed": list(made.changed), "cases": cases}))
        return 0
    if verbose:
        for case in made.cases:
            click.echo("\n".join(_describe(case, verbose=False)))
    for path in made.changed[:MOST_PATHS]:
        click.echo(f"wrote {path}" if (target / path).exists() else f"removed {path}")
    if len(made.changed) > MOST_PATHS:
        click.echo(f"… and {len(made.changed) - MOST_PATHS} more")
    took = time.monotonic() - started
    summary = f"{len(made.cases)} cases, {size / 1e6:.2f} MB, {made.from_cache} from the cache"
    change = f"{len(made.changed)} files changed" if made.changed else "no byte changed"
    click.echo(f"{summary}; {change} in {target} ({took:.1f} s)")
    return 0


def _plain(made: MadeCase) -> dict[str, Any]:
    import msgspec

    entry: dict[str, Any] = msgspec.to_builtins(made.entry)
    return {**entry, "refused": list(made.refused)}


def _describe(made: MadeCase, verbose: bool) -> list[str]:
    entry = made.entry
    kept = "given" if entry.family == "given" else f"{entry.family}, attempt {entry.attempt}"
    lines = [
        f"{entry.name}: {kept}, bound {entry.bound:.1e}, proved at {entry.precision} bits",
    ]
    reasons = list(made.refused)
    shown = reasons if verbose else reasons[-MOST_REASONS:]
    first = len(reasons) - len(shown)
    lines += [f"  attempt {first + i} fell: {reason}" for i, reason in enumerate(shown)]
    return lines


@dataclasses.dataclass
class _Progress:
    """A line on a terminal that counts what is done; nothing where nobody watches."""

    what: str
    started: float = dataclasses.field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int, name: str) -> None:
        if not sys.stderr.isatty():
            return
        end = "\r\x1b[K" if done == total else ""
        sys.stderr.write(f"\r\x1b[K{done} of {total} {self.what}: {name}{end}")
        sys.stderr.flush()
