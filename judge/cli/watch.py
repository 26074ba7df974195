"""`judge watch`: judge a file again on every save, and say what has changed."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
import msgspec

from judge.cli import options
from judge.verdicts import CaseResult, Verdict

if TYPE_CHECKING:
    from judge.mistakes import Level
    from judge.problem import Problem
    from judge.runner import Judge
    from judge.testcases import Manifest, TestCase
    from judge.verdicts import Report

_DEBOUNCE_MS = 100
_STEP_MS = 20
_LOOK_MS = 1000
_NAMED = 6


@click.command("watch")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--group", metavar="NAME", help="Only the cases of this group, such as sample.")
@click.option(
    "--case",
    "patterns",
    multiple=True,
    metavar="NAME",
    help="Only this case; * and ? stand for any characters. May be given several times.",
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
@options.problem_option
@options.color_option
def command(
    file: Path,
    group: str | None,
    patterns: tuple[str, ...],
    audience: str,
    advice: str,
    time_scale: float,
    verbose: bool,
    problem_folder: Path | None,
    color: bool | None,
) -> int:
    """Judge a file again on every save.

    The sandbox stays warm, so that a verdict comes in a few hundredths of a second. After the first
    run it says which cases newly pass and which newly fail. End it with Ctrl-C.

    \b
    Examples:
      judge watch my_solution.py
      judge watch my_solution.py --group sample --advice clear
    """
    import watchfiles

    if file.is_dir():
        raise click.UsageError(f"{file}: this is a folder; name a Python file")
    if not file.absolute().parent.is_dir():
        raise click.UsageError(f"{file}: there is no folder {file.parent}")
    from judge.runner import Judge
    from judge.sandbox.process import SandboxError
    from judge.testcases import load_manifest

    problem = options.load_problem(problem_folder)
    manifest = load_manifest(problem)
    names = options.select_cases(manifest.cases, group, patterns)
    try:
        with Judge(problem, time_scale=time_scale) as judge:
            cases = [case for case in judge.cases if names is None or case.name in names]
            watch = _Watch(judge, problem, manifest, cases, audience, cast("Level", advice))
            watch.verbose, watch.color = verbose, options.wants_color(color, sys.stdout)
            watch.judge_file(file)
            # The folder, not the file: most editors save by replacing a file with another one.
            for _ in watchfiles.watch(
                file.absolute().parent,
                watch_filter=lambda _, path: Path(path).name == file.name,
                debounce=_DEBOUNCE_MS,
                step=_STEP_MS,
                recursive=False,
                # Look once a second all the same: a save before the watcher began, or on a file
                # system that tells of none, is then seen too.
                rust_timeout=_LOOK_MS,
                yield_on_timeout=True,
                raise_interrupt=True,
            ):
                watch.judge_file(file)
    except SandboxError as error:
        click.echo(f"error: the judge can't start a process for submissions: {error}", err=True)
        return options.EXIT_JUDGE_ERROR
    return 0


class _Watch:
    """What stays from one save to the next: the judge, and the results before."""

    verbose = False
    color = False

    def __init__(
        self,
        judge: Judge,
        problem: Problem,
        manifest: Manifest,
        cases: Sequence[TestCase],
        audience: str,
        advice: Level,
    ) -> None:
        from judge.report import PUBLIC_GROUPS

        self._judge = judge
        self._problem = problem
        self._cases = cases
        self._audience = audience
        self._advice = advice
        self._shows = {
            entry.name: entry.shows
            for entry in manifest.cases
            if audience == "author" or entry.group in PUBLIC_GROUPS
        }
        self._source: bytes | None = None
        self._before: dict[str, Verdict] | None = None
        self._waiting = False

    def judge_file(self, file: Path) -> None:
        """Judge the file as it is now, unless that was judged already."""
        try:
            source = file.read_bytes()
        except OSError as error:
            if self._source is not None or not self._waiting:
                click.echo(f"{file}: {error.strerror}; waiting for it")
            self._source, self._waiting = None, True
            return
        if source == self._source:
            return
        first, self._source = self._source is None and self._before is None, source
        report = self._report(source, str(file))
        if first:
            from judge.cli.reporter import warn_of_weak_isolation

            warn_of_weak_isolation(report)
        else:
            click.echo(f"\n─── {time.strftime('%H:%M:%S')} {'─' * 60}")
        self._show(report, source)

    def _report(self, source: bytes, name: str) -> Report:
        from judge.report import for_audience

        execution = self._judge.execute(source, name=name, cases=self._cases)
        report = execution.report
        if report.verdict is not Verdict.AC:
            from judge.diagnosis import diagnose

            found = diagnose(self._judge, execution, self._advice, cases=self._cases)
            report = msgspec.structs.replace(report, diagnosis=found)
        lines = source.decode("utf-8", "replace").count("\n") + 1
        return for_audience(report, self._audience, lines=lines)

    def _show(self, report: Report, source: bytes) -> None:
        from judge.report.text import TextStyle, to_text

        style = TextStyle(
            width=options.terminal_width(),
            color=self.color,
            verbose=self.verbose,
            advice=self._advice,
            shows=self._shows,
        )
        text = source.decode("utf-8", "replace").removeprefix("\ufeff")
        click.echo(to_text(report, text, style), nl=False, color=self.color)
        if self._before is not None:
            for line in changes(self._before, report.cases):
                click.echo(f"  {line}")
        self._before = {case.name: case.verdict for case in report.cases}
        with contextlib.suppress(OSError):
            sys.stdout.flush()


def changes(before: dict[str, Verdict], now: Sequence[CaseResult]) -> list[str]:
    """Say which cases newly pass and which newly fail.

    Args:
        before: verdict of each case in the last run.
        now: the results of this run.
    """
    passing = [c.name for c in now if c.verdict is Verdict.AC and before.get(c.name) != Verdict.AC]
    failing = [c.name for c in now if c.verdict is not Verdict.AC and before.get(c.name) == "AC"]
    if not passing and not failing:
        return ["Since the last run: the same cases pass."]
    said = []
    for word, names in (("pass", passing), ("fail", failing)):
        if names:
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            said.append(
                f"Since the last run {len(names)} newly {word}: {', '.join(names[:_NAMED])}{more}"
            )
    return said
