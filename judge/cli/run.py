"""`judge run`: a verdict on every case of each file that is named."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click
import msgspec

from judge.cli import options, output
from judge.cli.progress import Progress
from judge.cli.reporter import Reporter, Wish, warn_of_weak_isolation
from judge.verdicts import Verdict

if TYPE_CHECKING:
    from judge.cli.options import Submission
    from judge.mistakes import Level
    from judge.runner import Execution, Judge
    from judge.testcases import TestCase
    from judge.verdicts import Report

FORMATS = ("text", "json", "junit", "html")


@click.command("run")
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION…")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to report; json is one document a line and submission.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the report there (html for several submissions: into that folder).",
)
@click.option("--group", metavar="NAME", help="Only the cases of this group, such as sample.")
@click.option(
    "--case",
    "patterns",
    multiple=True,
    metavar="NAME",
    help="Only this case; * and ? stand for any characters. May be given several times.",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first case that fails.")
@click.option(
    "--fresh",
    type=click.IntRange(min=1),
    metavar="N",
    help="Add N secret cases, made on the spot from --seed or --seed-file.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Seed of the fresh cases.")
@click.option(
    "--seed-file",
    type=click.File("rb"),
    metavar="FILE",
    help="Take the seed of the fresh cases from a file's bytes, so that no one reads it here.",
)
@options.audience_option
@click.option(
    "--advice",
    type=click.Choice(["gentle", "clear", "explicit"]),
    default="gentle",
    show_default=True,
    help="How much the diagnosis gives away.",
)
@click.option(
    "--time-scale",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    metavar="X",
    help="Multiply every time limit, for a slow machine.",
)
@click.option("--verbose", "-v", is_flag=True, help="Every case, printed output, provenance.")
@click.option(
    "--debug",
    is_flag=True,
    help="Run your own file in this process, without isolation, so that breakpoint() works.",
)
@options.problem_option
@options.color_option
def command(
    submissions: tuple[str, ...],
    output_format: str,
    output: Path | None,
    group: str | None,
    patterns: tuple[str, ...],
    fail_fast: bool,
    fresh: int | None,
    seed: int | None,
    seed_file: BinaryIO | None,
    audience: str,
    advice: Level,
    time_scale: float,
    verbose: bool,
    debug: bool,
    problem_folder: Path | None,
    color: bool | None,
) -> int:
    """Judge submissions: a verdict on every case.

    SUBMISSION is a Python file, or - for standard input. The exit code is 0 when every submission
    is accepted, 1 when one is not, 2 for a wrong use or a broken problem, 3 for a fault of the
    judge's own.

    \b
    Examples:
      judge run my_solution.py
      judge run my_solution.py --group sample -v
      judge run my_solution.py --case 'secret/near-*' --format html -o report.html
      judge run a.py b.py --format json | jq .verdict
      judge run my_solution.py --debug --case sample/two-heads
      judge run my_solution.py --fresh 20 --seed-file /etc/course/seed
    """
    wish = Wish(output_format, output, audience, advice, verbose, color)
    _check(wish, submissions, debug)
    drawn = _fresh_seed(fresh, seed, seed_file)
    read = options.read_submissions(submissions)

    from judge.sandbox import early
    from judge.sandbox.process import SandboxError

    # Booting takes as long as all that comes before the first case: side by side they cost once.
    try:
        with contextlib.closing(early.take()) as sandbox:
            bundle = options.load_bundle(problem_folder)
            problem, manifest = bundle.problem, bundle.manifest

            from judge.runner import Judge

            with Judge(
                problem, cases=bundle.cases, time_scale=time_scale, sandbox=sandbox
            ) as judge:
                names = options.select_cases(manifest.cases, group, patterns)
                cases = [case for case in bundle.cases if names is None or case.name in names]
                if debug:
                    from judge.cli.debug import debug_run

                    return debug_run(judge, read[0], cases, audience, chosen=names is not None)
                if fresh is not None and drawn is not None:
                    from judge.authoring.fresh import fresh_cases

                    cases += itertools.islice(fresh_cases(problem, drawn), fresh)
                reporter = Reporter(problem, manifest, wish, len(read))
                gc.freeze()
                gc.enable()
                return _run_all(judge, read, cases, reporter, wish, fail_fast, drawn)
    except SandboxError as error:
        click.echo(f"error: the judge can't start a process for submissions: {error}", err=True)
        return options.EXIT_JUDGE_ERROR


def _check(wish: Wish, submissions: Sequence[str], debug: bool) -> None:
    """Refuse what can't be done before anything is judged."""
    if submissions.count(options.STANDARD_INPUT) > 1:
        raise click.UsageError("standard input can be judged once only")
    several = len(submissions) > 1
    if debug and (several or submissions[0] == options.STANDARD_INPUT):
        raise click.UsageError("--debug takes one file")
    if debug and (wish.output is not None or wish.output_format != "text"):
        raise click.UsageError("--debug reports to the terminal only")
    if wish.output_format == "html" and several:
        if wish.output is None:
            raise click.UsageError("several pages don't fit one stream: add --output FOLDER")
        if wish.output.exists() and not wish.output.is_dir():
            raise click.UsageError(f"--output {wish.output}: several pages need a folder")
    elif wish.output is not None:
        output.check_file(wish.output)


def _fresh_seed(fresh: int | None, seed: int | None, seed_file: BinaryIO | None) -> int | None:
    """Return the seed of the fresh cases, or refuse options that make no sense together."""
    if seed is not None and seed_file is not None:
        raise click.UsageError("--seed and --seed-file exclude one another")
    if fresh is None:
        if seed is not None or seed_file is not None:
            raise click.UsageError("a seed is for fresh cases: add --fresh N")
        return None
    if seed_file is not None:
        secret = seed_file.read()
        if not secret.strip():
            raise click.UsageError(f"--seed-file {seed_file.name}: the file is empty")
        # 62 bits: enough against guessing, and a whole number that every JSON reader can hold.
        return int.from_bytes(hashlib.sha256(secret).digest()[:8], "big") >> 2
    return int.from_bytes(os.urandom(4), "big") if seed is None else seed


def _run_all(
    judge: Judge,
    submissions: Sequence[Submission],
    cases: Sequence[TestCase],
    reporter: Reporter,
    wish: Wish,
    fail_fast: bool,
    seed: int | None,
) -> int:
    """Judge one submission after the other, and report each as soon as it is done."""
    verdicts: list[Verdict] = []
    for number, submission in enumerate(submissions, 1):
        with Progress(len(cases)) as progress:
            execution = judge.execute(
                submission.source,
                name=submission.name,
                cases=cases,
                fail_fast=fail_fast,
                on_case=progress.on_case,
                seed=seed,
            )
            report = _diagnosed(judge, execution, cases, wish)
        if number == len(submissions):
            judge.begin_close()
        if not verdicts:
            warn_of_weak_isolation(report)
        verdicts.append(report.verdict)
        reporter.add(submission, report, cases, execution)
    reporter.close()
    return options.exit_code(verdicts)


def _diagnosed(judge: Judge, execution: Execution, cases: Sequence[TestCase], wish: Wish) -> Report:
    """Return the report with the explanation of what is wrong; accepted ones pay nothing."""
    report = execution.report
    if report.verdict is Verdict.AC:
        return report
    from judge.diagnosis import diagnose

    found = diagnose(judge, execution, wish.advice, cases=cases)
    return msgspec.structs.replace(report, diagnosis=found)
