"""`judge statement`: render a problem's texts to one page, or say what is stale about them."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import click

from judge.cli.options import load_problem, problem_option

DEFAULT_OUTPUT = "build/statement.html"


@click.command(name="statement")
@problem_option
@click.option("--check", is_flag=True, help="Write nothing; say which texts or figures are stale.")
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Where the page goes; by default {DEFAULT_OUTPUT} in the bundle.",
)
@click.option(
    "--open/--no-open", "show", default=None, help="Open it; by default where there is a desktop."
)
def command(
    problem_folder: Path | None, check: bool, output: Path | None, show: bool | None
) -> int:
    """Render the statement, theory and explorer to one HTML file.

    The texts come from generator/*.md.j2, every number computed anew; statement.md and theory.md
    and the figures are brought up to date as well. The page needs no network.

    \b
    Examples:
      judge statement                  write build/statement.html and open it
      judge statement --check          0: texts are up to date, 1: stale, and which
      judge statement --output page.html --no-open
    """
    from judge.authoring.page import page
    from judge.authoring.statement import render, replace_file, stale, write

    if check and output is not None:
        raise click.UsageError("--check writes nothing, so it takes no --output")
    problem = load_problem(problem_folder)
    texts = render(problem)
    document = page(problem, texts)
    if check:
        found = stale(problem, texts)
        for path in found:
            click.echo(path)
        click.echo(
            "stale; render them again: judge statement" if found else "the texts are up to date"
        )
        return int(bool(found))
    target = output or problem.folder / DEFAULT_OUTPUT
    try:
        for path in write(problem, texts):
            click.echo(f"updated {path}")
        replace_file(target, document)
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error
    click.echo(f"wrote {target} ({len(document.encode()) // 1024} KiB)")
    if show if show is not None else _has_desktop():
        webbrowser.open(target.absolute().as_uri())
    return 0


def _has_desktop() -> bool:
    """Whether a browser window can be expected: a terminal user with a display."""
    if not sys.stdout.isatty() or os.environ.get("CI"):
        return False
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
