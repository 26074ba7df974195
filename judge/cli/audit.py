"""`judge audit`: which mistakes another grader lets through, and which right ones it rejects."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.cli.options import load_problem, problem_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judge.authoring.audit import Audited


class _Pattern(click.ParamType):  # type: ignore[type-arg]
    """A regular expression, in which ^ and $ stand for the ends of a line."""

    name = "regex"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> re.Pattern[str]:
        try:
            return re.compile(value, re.MULTILINE)
        except re.error as error:
            self.fail(f"not a regular expression: {error}", param, ctx)


@click.command("audit", context_settings={"ignore_unknown_options": True})
@click.argument("grader", nargs=-1, required=True, metavar="COMMAND…", type=click.UNPROCESSED)
@click.option(
    "--accepts",
    type=_Pattern(),
    metavar="REGEX",
    help="The grader accepts when its output has this; otherwise when its exit code is 0.",
)
@click.option("--common", is_flag=True, help="Try the common mistakes only.")
@click.option("--only", multiple=True, metavar="NAME", help="Try this mistake or file only.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="A run that takes longer counts as a rejection.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Runs at a time; by default all cores.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@problem_option
def command(
    grader: tuple[str, ...],
    accepts: re.Pattern[str] | None,
    common: bool,
    only: tuple[str, ...],
    timeout: float,
    jobs: int | None,
    form: str,
    problem_folder: Path | None,
) -> int:
    """Try a grader on right submissions and on every known mistake.

    COMMAND is the grader; {file} in it stands for a submission's path. It runs as it would for
    anybody, without isolation: the submissions are this problem's own. The exit code is 1 when the
    grader accepts a mistake or rejects a right submission, else 0.

    \b
    Examples:
      judge audit -- python grade.py {file}
      judge audit --common -- env SUBMISSION={file} python -m pytest -q test_block.py
      judge audit --accepts '^score: 100' -- ./autograder.sh {file}
    """
    from judge.authoring.audit import PLACEHOLDER, Grader, audit, subjects, to_text

    if not any(PLACEHOLDER in word for word in grader):
        raise click.UsageError(f"the command needs {PLACEHOLDER} where the submission's path goes")
    problem = load_problem(problem_folder)
    chosen = subjects(problem, common=common, only=only)
    missing = set(only) - {s.name for s in chosen} - {Path(s.name).name for s in chosen}
    if missing:
        raise click.UsageError(f"no mistake or right submission is called {', '.join(missing)}")
    tried = Grader(grader, accepts, problem.function_file, timeout)
    try:
        audited = audit(tried, chosen, jobs=jobs, progress=_progress)
    except OSError as error:
        raise click.UsageError(f"{grader[0]}: can't be started: {error.strerror}") from None
    click.echo(_as_json(audited) if form == "json" else to_text(audited, tried))
    return int(any((a.outcome == "accepted") != a.subject.right for a in audited))


def _as_json(audited: Sequence[Audited]) -> str:
    import json

    document = {
        "format": 1,
        "submissions": [
            {
                "name": a.subject.name,
                "title": a.subject.title,
                "stage": a.subject.stage,
                "right": a.subject.right,
                "outcome": a.outcome,
            }
            for a in audited
        ],
    }
    return json.dumps(document)


def _progress(done: int, total: int, name: str) -> None:
    if sys.stderr.isatty():
        end = "" if done < total else "\x1b[K"
        sys.stderr.write(f"\r\x1b[K{done} of {total} submissions graded: {name}\r{end}")
        sys.stderr.flush()
