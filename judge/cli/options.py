"""Options that several commands share, and what they mean."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from judge.faults import did_you_mean
from judge.verdicts import Verdict

if TYPE_CHECKING:
    from judge.bundle import Bundle
    from judge.problem import Problem
    from judge.testcases import CaseEntry

EXIT_ACCEPTED = 0
EXIT_NOT_ACCEPTED = 1
EXIT_USAGE = 2
EXIT_JUDGE_ERROR = 3

STANDARD_INPUT = "-"
_LARGEST_SUBMISSION = 64 << 20

Command = TypeVar("Command", bound=Callable[..., Any])


def problem_option(command: Command) -> Command:
    """Add `--problem DIR`; `load_problem` turns its value into a problem."""
    return click.option(
        "--problem",
        "problem_folder",
        metavar="DIR",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="The problem's folder; by default the nearest one at or above this folder.",
    )(command)


def audience_option(command: Command) -> Command:
    """Add `--audience author|learner`."""
    return click.option(
        "--audience",
        type=click.Choice(["author", "learner"]),
        default="author",
        show_default=True,
        help="A learner sees of secret cases the verdict and the kind of fault alone.",
    )(command)


def color_option(command: Command) -> Command:
    """Add `--color/--no-color`; `wants_color` decides when neither is given."""
    return click.option(
        "--color/--no-color",
        "color",
        default=None,
        help="Colours; by default on a terminal (NO_COLOR and FORCE_COLOR count).",
    )(command)


def load_bundle(folder: Path | None) -> Bundle:
    """Return the bundle that was asked for, or the nearest one, with its cases.

    Raises:
        BundleError: there is none, or it is broken.
    """
    from judge import bundle
    from judge.problem import find_bundle

    return bundle.load_bundle(find_bundle() if folder is None else folder)


def load_problem(folder: Path | None) -> Problem:
    """Return the problem that was asked for, or the nearest one.

    Raises:
        BundleError: there is none, or it is broken.
    """
    from judge.problem import Problem

    return Problem.find() if folder is None else Problem.load(folder)


def select_cases(
    entries: Sequence[CaseEntry], group: str | None, patterns: Sequence[str]
) -> list[str] | None:
    """Return the names of the cases asked for, in the manifest's order; None for all.

    Args:
        entries: the manifest's cases.
        group: a group's name, or None for every group.
        patterns: names, or patterns with `*` and `?`; the group may be left out.

    Raises:
        click.UsageError: a group or pattern that selects nothing; all of them at once.
    """
    if group is None and not patterns:
        return None
    groups = list(dict.fromkeys(entry.group for entry in entries))
    if group is not None and group not in groups:
        raise click.UsageError(
            f'no case is in the group "{group}"{did_you_mean(group, groups)}; '
            f"the groups are {', '.join(groups)}"
        )
    inside = [entry.name for entry in entries if group in (None, entry.group)]
    if not patterns:
        return inside
    chosen: set[str] = set()
    faults = []
    for pattern in patterns:
        found = {name for name in inside if _matches(name, pattern)}
        chosen |= found
        if not found:
            known = [*inside, *(name.partition("/")[2] for name in inside)]
            faults.append(f'no case is called "{pattern}"{did_you_mean(pattern, known)}')
    if faults:
        raise click.UsageError("\n".join([*faults, "List them with: judge show"]))
    return [name for name in inside if name in chosen]


def _matches(name: str, pattern: str) -> bool:
    own = name.partition("/")[2]
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(own, pattern)


class Submission(NamedTuple):
    """A file to judge.

    Args:
        name: as it was given, or "standard input".
        source: its bytes.
        path: where it is; None for standard input.
    """

    name: str
    source: bytes
    path: Path | None

    @property
    def text(self) -> str:
        """The source as text, for showing its lines; what is not UTF-8 is replaced."""
        return self.source.decode("utf-8", errors="replace").removeprefix("\ufeff")


def read_submissions(arguments: Iterable[str]) -> list[Submission]:
    """Read every file that was named; `-` is standard input.

    Raises:
        click.UsageError: a file is missing, is a folder or can't be read; all of them at once.
    """
    found: list[Submission] = []
    faults: list[str] = []
    for argument in arguments:
        result = _read_submission(argument)
        if isinstance(result, str):
            faults.append(result)
        else:
            found.append(result)
    if faults:
        raise click.UsageError("\n".join(faults))
    return found


def _read_submission(argument: str) -> Submission | str:
    """Return a submission, or what is wrong with it."""
    if argument == STANDARD_INPUT:
        source = sys.stdin.buffer.read(_LARGEST_SUBMISSION + 1)
        return _sized(Submission("standard input", source, None))
    path = Path(argument)
    name = os.fsencode(argument).decode("utf-8", errors="replace")
    try:
        with path.open("rb") as file:
            return _sized(Submission(name, file.read(_LARGEST_SUBMISSION + 1), path))
    except IsADirectoryError:
        return f"{name}: this is a folder; name a Python file, or judge a folder with: judge batch"
    except FileNotFoundError:
        return f"{name}: there is no such file{_near(path)}"
    except OSError as error:
        return f"{name}: can't be read: {error.strerror}"
    except ValueError:
        return f"{name!r}: this is no file name"


def _sized(submission: Submission) -> Submission | str:
    if len(submission.source) > _LARGEST_SUBMISSION:
        return f"{submission.name}: larger than 64 MiB, this is no submission"
    return submission


def _near(path: Path) -> str:
    """Suggest a file of a similar name in the same folder."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix == ".py"]
    except OSError:
        return f" (nor a folder {path.parent})"
    return did_you_mean(path.name, names)


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """Return 0 when all were accepted, 3 after a judge error, else 1."""
    found = set(verdicts)
    if Verdict.JE in found:
        return EXIT_JUDGE_ERROR
    return EXIT_ACCEPTED if found <= {Verdict.AC} else EXIT_NOT_ACCEPTED


def wants_color(choice: bool | None, stream: IO[str] | None) -> bool:
    """Decide on colours: the option, NO_COLOR and FORCE_COLOR (no-color.org), the terminal."""
    if choice is not None:
        return choice
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """Return the terminal's columns (COLUMNS counts); 100 where there is no terminal."""
    import shutil  # slow to import, for those who print no table

    return shutil.get_terminal_size((100, 24)).columns
