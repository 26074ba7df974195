"""`judge verify`: every mistake is rejected by its margin, and no right solution is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.cli.options import EXIT_JUDGE_ERROR, load_problem, problem_option

if TYPE_CHECKING:
    from judge.authoring.verify import Verification
    from judge.problem import Problem

DEFAULT_OUTPUT = "build/verify"


@click.command("verify")
@problem_option
@click.option(
    "--check",
    is_flag=True,
    help="Run nothing and write nothing: only the checks that need no results.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=f"Where index.html and kills.json go; by default {DEFAULT_OUTPUT} in the bundle.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--verbose", "-v", is_flag=True, help="A line for every mistake.")
def command(
    problem_folder: Path | None, check: bool, output: Path | None, form: str, verbose: bool
) -> int:
    """Check that the bundle rejects what is wrong and accepts what is right.

    Runs every known mistake and every accepted submission on every case, and checks the margins,
    the tags, the texts and everything else that problem.yaml demands under `verify`. Writes the
    mistake x case table as a page and for programs, and the tolerance ladder into
    docs/numerics.md, where that has a place for it.

    \b
    Examples:
      judge verify                    build/verify/index.html and build/verify/kills.json
      judge verify --check            in a second or two, without running anything
      judge verify --format json | jq '.findings'
    """
    import judge.authoring.verify as verification

    if check and output is not None:
        raise click.UsageError("--check writes nothing, so it takes no --output")
    if check and form == "json":
        raise click.UsageError("--check measures nothing that json could tell")
    problem = load_problem(problem_folder)

    from judge.diagnosis.variants import VariantsError
    from judge.sandbox.process import SandboxError

    try:
        found = verification.verify(problem, static=check, progress=_Progress())
    except (SandboxError, VariantsError) as error:
        click.echo(f"error: {error}", err=True)
        return EXIT_JUDGE_ERROR
    if found.evidence is not None and not check:
        _write(problem, found, output or problem.folder / DEFAULT_OUTPUT)
    _say(found, form, verbose)
    return int(bool(found.findings.errors))


def _say(found: Verification, form: str, verbose: bool) -> None:
    if form == "json" and found.evidence is not None:
        import msgspec

        from judge.authoring.verify.kills import as_document

        click.echo(msgspec.json.encode(as_document(found)).decode())
        return
    from judge.authoring.verify.table import to_text

    click.echo(to_text(found, verbose=verbose), nl=False)


def _write(problem: Problem, found: Verification, folder: Path) -> None:
    import msgspec

    from judge.authoring.verify.kills import as_document
    from judge.authoring.verify.ladder import DOCUMENT, as_markdown, write_document
    from judge.authoring.verify.page import to_page
    from judge.cli.output import write_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
        if found.evidence is not None and write_document(
            problem.folder, as_markdown(found.evidence, found.rungs)
        ):
            click.echo(f"updated {DOCUMENT}", err=True)
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error
    write_file(folder / "index.html", to_page(found))
    document = msgspec.json.format(msgspec.json.encode(as_document(found)), indent=1)
    write_file(folder / "kills.json", document + b"\n")
    click.echo(f"wrote {folder / 'index.html'} and kills.json", err=True)


class _Progress:
    """A line on a terminal that tells what is being run; nothing where nobody watches."""

    def __call__(self, what: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{what}\r")
            sys.stderr.flush()
