"""The commands of `judge`: one module each, imported only when that command runs."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from judge import __version__
from judge.faults import BundleError, did_you_mean

COMMANDS = {
    "run": "Judge submissions: a verdict on every case.",
    "watch": "Judge a file again on every save.",
    "show": "Show test cases, with a snippet to paste.",
    "batch": "Judge many submissions: files, folders, zips.",
    "stress": "Search for a fresh case on which a submission fails.",
    "audit": "Show which mistakes another grader lets through.",
    "generate": "Make the test cases, or check that they are up to date.",
    "verify": "Check that every mistake is rejected and no right solution is.",
    "statement": "Render the statement, theory and explorer.",
    "serve": "Start the web page.",
    "export": "Write packages for other judges.",
    "doctor": "Show and prove what isolates submissions on this machine.",
}
"""Every command with its line in `judge --help`: a learner's first, then a setter's."""

_EXTRAS = {
    "flint": "authoring",
    "fontTools": "authoring",
    "jinja2": "authoring",
    "latex2mathml": "authoring",
    "markdown_it": "authoring",
    "matplotlib": "authoring",
    "mdit_py_plugins": "authoring",
    "mpmath": "authoring",
    "nicegui": "web",
    "distributed": "cluster",
    "watchfiles": "watch",
}

EXIT_USAGE = 2
EXIT_JUDGE_ERROR = 3
EXIT_INTERRUPTED = 130


class _LazyGroup(click.Group):
    """Imports `judge.cli.NAME` when NAME is asked for: no command pays for another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"judge.cli.{cmd_name}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = did_you_mean(args[0], COMMANDS)
            ctx.fail(f'No such command "{args[0]}"{near}; see: judge --help')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="judge %(version)s")
def group() -> None:
    """Judge NumPy submissions against proved answers, and name the mistake.

    \b
    Examples:
      judge run my_solution.py              a verdict on every case
      judge run my_solution.py --group sample
      judge watch my_solution.py            again on every save
      judge show sample/two-heads           a case to paste into a session
      judge batch submissions.zip --csv results.csv
      judge doctor                          what isolates submissions here
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; every broken bundle and interruption ends here in words.

    Args:
        arguments: the words after `judge`.

    Returns:
        The exit code.
    """
    try:
        result: Any = group.main(
            args=list(arguments),
            prog_name="judge",
            standalone_mode=False,
        )
    except BundleError as error:
        for fault in error.faults:
            click.echo(f"error: {fault}", err=True)
        return EXIT_USAGE
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        extra = _EXTRAS[error.name]
        click.echo(
            f"error: this command needs the package {error.name}, which is not installed; "
            f'install the extra "{extra}": pip install "encoder-block-judge[{extra}]"',
            err=True,
        )
        return EXIT_USAGE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`judge run … | head`); nothing more can be said, and nothing failed.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 (Python's own exit code, 1, would say "not accepted")
        import traceback  # slow to import, for those who need none

        traceback.print_exc()
        click.echo("error: a fault of the judge's own; no submission is to blame", err=True)
        return EXIT_JUDGE_ERROR
    return result if isinstance(result, int) else 0
