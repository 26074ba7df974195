"""`judge export`: write packages of a problem for systems that people already use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judge.cli.options import load_problem, problem_option

DEFAULT_OUTPUT = "build/export"


class _Command(click.Command):
    """Lists the targets in its help, which only then are imported."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Targets"):
            try:
                from judge.authoring.export import targets

                rows = [(target.name, target.summary) for target in targets().values()]
            except ModuleNotFoundError as error:
                # Help is for everybody, also where only judging was installed.
                needs = f'pip install "encoder-block-judge[authoring]" ({error.name} is missing)'
                rows = [("listed after", needs)]
            formatter.write_dl(rows)


@click.command("export", cls=_Command)
@click.argument("target", metavar="TARGET")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=f"Where the package goes; by default {DEFAULT_OUTPUT}/TARGET in the bundle. What an "
    "earlier export wrote there is replaced.",
)
@click.option("--zip", "zipped", is_flag=True, help="Write the zip that the system takes as well.")
@click.option(
    "--python",
    "pythons",
    multiple=True,
    metavar="VERSION",
    help="Bring the judge's packages for this Python (gradescope, prairielearn); may be repeated.",
)
@click.option(
    "--numpy/--no-numpy",
    default=None,
    help="Whether to bring NumPy (gradescope does, prairielearn uses the image's).",
)
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Take the packages from wheels in this folder instead of downloading them.",
)
@problem_option
def command(
    target: str,
    output: Path | None,
    zipped: bool,
    pythons: tuple[str, ...],
    numpy: bool | None,
    wheels: Path | None,
    problem_folder: Path | None,
) -> int:
    """Write a package of the problem for TARGET.

    It has the statement, the starter, the test cases, the rule by which results are compared,
    known submissions with their verdicts, limits, licence and credits, each in the target's own
    form. The same bundle gives the same bytes. docs/exports.md tells what each target can't hold.

    \b
    Examples:
      judge export kattis-2025-09
      judge export gradescope --zip --python 3.12
      judge export handout --output /tmp/handout --zip
    """
    from judge.authoring.export import Options, export, targets
    from judge.faults import did_you_mean

    known = targets()
    if target not in known:
        near = did_you_mean(target, known)
        raise click.UsageError(f'there is no target "{target}"{near}; see: judge export --help')
    problem = load_problem(problem_folder)
    folder = output or problem.folder / DEFAULT_OUTPUT / target
    try:
        made = export(
            problem, target, folder, options=Options(pythons, numpy, wheels), zipped=zipped
        )
    except OSError as error:
        raise click.ClickException(f"{error.filename or folder}: {error.strerror}") from error
    _tell(folder, made, zipped)
    return 0


def _tell(folder: Path, made: Any, zipped: bool) -> None:
    size = sum(map(len, made.files.files.values()))
    click.echo(f"wrote {folder}: {len(made.files.files)} files, {size / 1e6:.1f} MB")
    if zipped:
        for name in made.archives:
            click.echo(f"wrote {folder / name}")
    if made.left_out:
        click.echo(f"left out, because the target can't express it ({len(made.left_out)}):")
        for sentence in made.left_out:
            click.echo(f"  {sentence}")
