"""`judge stress`: search for a fresh case on which a submission fails."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.cli.options import EXIT_JUDGE_ERROR, load_problem, problem_option, read_submissions

if TYPE_CHECKING:
    from judge.authoring.stress import Failure, Stressed
    from judge.problem import Problem


@click.command("stress")
@click.argument("submission", metavar="SUBMISSION")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="How long to search.",
)
@click.option("--cases", "most", type=click.IntRange(min=1), help="Judge no more cases than this.")
@click.option("--seed", type=click.IntRange(min=0), help="By default a new one, which is told.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@problem_option
def command(
    submission: str,
    seconds: float,
    most: int | None,
    seed: int | None,
    form: str,
    problem_folder: Path | None,
) -> int:
    """Search for a fresh case on which a submission fails.

    Cases are drawn from the problem's families with a new seed, in other sizes, admitted by their
    error bound and proved, like those of the problem. The first failure is shrunk to the smallest
    shape and the simplest numbers, and printed as a case for cases.yaml and as a snippet. The exit
    code is 1 when a failure was found, else 0.

    \b
    Examples:
      judge stress my_solution.py
      judge stress my_solution.py --seconds 300 --seed 7
    """
    problem = load_problem(problem_folder)
    source = read_submissions([submission])[0].source
    seed = secrets.randbits(32) if seed is None else seed

    from judge.authoring.stress import stress
    from judge.runner import Judge
    from judge.sandbox.process import SandboxError

    try:
        with Judge(problem) as judge:
            found = stress(
                judge, source, seed, seconds=seconds, most=most, progress=_Progress(seconds)
            )
    except SandboxError as error:
        click.echo(f"error: the judge can't start a process for submissions: {error}", err=True)
        return EXIT_JUDGE_ERROR
    click.echo(_as_json(problem, found) if form == "json" else _as_text(problem, found))
    return int(found.failure is not None)


def _as_text(problem: Problem, found: Stressed) -> str:
    head = f"{found.judged} fresh cases in {found.seconds:.1f} s, seed {found.seed}"
    if found.failure is None:
        return f"no failure: {head}"
    from judge.report.snippet import snippet
    from judge.verdicts import Verdict

    failure = found.failure
    if failure.result.verdict is Verdict.CE:
        return f"can't be loaded: {failure.result.message}"
    drawn, small = _sizes(problem, failure, shrunk=False), _sizes(problem, failure, shrunk=True)
    example = failure.example
    lines = [
        f"found a failure: {head}",
        f"as drawn: {failure.result.verdict}, {failure.result.message} ({drawn})",
        f"shrunk:   {failure.shrunk.verdict}, {failure.shrunk.message} ({small})",
        "",
        "for generator/cases.yaml:",
        _entry(problem, failure),
        "",
        snippet(problem, "found by judge stress", example.inputs, example.expected),
    ]
    return "\n".join(lines).rstrip()


def _sizes(problem: Problem, failure: Failure, *, shrunk: bool) -> str:
    from judge.authoring.shrink import sizes_of

    names = [parameter.name for parameter in problem.function.parameters]
    drawn = dict(zip(names, failure.case.inputs, strict=True))
    sizes = sizes_of(problem, failure.example.inputs if shrunk else drawn)
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def _entry(problem: Problem, failure: Failure) -> str:
    """Return the shrunk case as an entry of cases.yaml."""
    import json

    from judge.casefiles import encode_value

    group = failure.case.group
    lines = [
        f"  - name: {group}/found-by-stress",
        "    shows: say what it shows",
        "    tags: []",
        "    input:",
    ]
    for parameter in problem.function.parameters:
        value = failure.example.inputs[parameter.name]
        lines.append(f"      {parameter.name}: {json.dumps(encode_value(value))}")
    return "\n".join(lines)


def _as_json(problem: Problem, found: Stressed) -> str:
    import msgspec

    from judge.casefiles import encode_value

    document: dict[str, object] = {
        "format": 1,
        "problem": problem.slug,
        "seed": found.seed,
        "judged": found.judged,
        "seconds": round(found.seconds, 3),
        "failure": None,
    }
    if found.failure is not None:
        example = found.failure.example
        document["failure"] = {
            "drawn": found.failure.result,
            "shrunk": found.failure.shrunk,
            "input": {name: encode_value(value) for name, value in example.inputs.items()},
            "expected": encode_value(example.expected),
        }
    return msgspec.json.encode(document).decode()


class _Progress:
    """A line on a terminal that counts fresh cases; nothing where nobody watches."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __call__(self, judged: int, elapsed: float) -> None:
        if sys.stderr.isatty():
            text = f"{judged} fresh cases accepted, {elapsed:.0f} of {self._seconds:.0f} s"
            sys.stderr.write(f"\r\x1b[K{text}\r")
            sys.stderr.flush()
