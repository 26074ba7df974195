"""`judge run --debug`: one's own file in this process, so that a debugger can look at it."""

from __future__ import annotations

import copy
import linecache
import pdb
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from judge.cli import options
from judge.compare.elementwise import compare
from judge.report import PUBLIC_GROUPS, Audience, words
from judge.verdicts import CaseResult, Verdict

if TYPE_CHECKING:
    from judge.cli.options import Submission
    from judge.problem import Problem
    from judge.runner import Judge
    from judge.testcases import TestCase

_WARNING = (
    "--debug runs {name} in this process: there is no isolation and no limit, so use it for your "
    "own file only"
)


def debug_run(
    judge: Judge,
    submission: Submission,
    cases: Sequence[TestCase],
    audience: str,
    *,
    chosen: bool,
) -> int:
    """Run a file in this process on the cases chosen, or on the first that fails in the jail.

    Args:
        judge: finds the first failing case.
        submission: the file; its own path, so that a debugger finds its lines.
        cases: the cases asked for.
        audience: a learner is shown samples alone.
        chosen: whether `cases` were asked for by name or group.

    Returns:
        0 when every case that was run is right, else 1.
    """
    assert submission.path is not None  # noqa: S101 (checked with the options)
    if audience == Audience.LEARNER:
        cases = [case for case in cases if case.group in PUBLIC_GROUPS]
        if not cases:
            raise click.UsageError("a learner can debug samples alone; see: judge show")
    if not chosen:
        cases = _first_failing(judge, submission, cases)
    # The sandbox is of no more use, and a debugger may stand still for hours.
    judge.close()
    click.echo(_WARNING.format(name=submission.name), err=True)
    try:
        function = _load(submission, judge.problem)
        right = [_run_case(function, judge.problem, case) for case in cases]
    except _FailedError:
        return options.EXIT_NOT_ACCEPTED
    return options.EXIT_ACCEPTED if all(right) else options.EXIT_NOT_ACCEPTED


class _FailedError(Exception):
    """The file's own code raised an exception, which was shown."""


def _first_failing(
    judge: Judge, submission: Submission, cases: Sequence[TestCase]
) -> Sequence[TestCase]:
    """Return the first case that fails in isolation, or the first of all when none does."""
    report = judge.run(submission.source, cases=cases)
    failing = [result.name for result in report.cases if result.verdict is not Verdict.AC]
    if not failing:
        click.echo("every case is accepted; running the first one", err=True)
        return cases[:1]
    return [case for case in cases if case.name == failing[0]]


def _load(submission: Submission, problem: Problem) -> Callable[..., Any]:
    """Run the file as a module and return its function."""
    path = str(Path(submission.path or "").absolute())
    module = types.ModuleType(Path(path).stem)
    module.__file__ = path
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(Path(path).parent))
    linecache.checkcache(path)
    with _Shown(path):
        code = compile(submission.source, path, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 (what the learner asked for)
    function = getattr(module, problem.function.name, None)
    if not callable(function):
        click.echo(f"{submission.name}: there is no function {problem.function.name}", err=True)
        raise _FailedError
    found: Callable[..., Any] = function
    return found


def _run_case(function: Callable[..., Any], problem: Problem, case: TestCase) -> bool:
    """Call the function with fresh inputs, and say what came back."""
    click.echo(f"{case.name}:")
    arguments = [copy.deepcopy(value) for value in case.inputs]
    with _Shown(function.__code__.co_filename if hasattr(function, "__code__") else ""):
        result = function(*arguments)
    fault = _describe(result, problem, case)
    click.echo(f"  {fault or 'accepted'}")
    return not fault


def _describe(result: Any, problem: Problem, case: TestCase) -> str:
    """Return what is wrong with a result, or ""."""
    expected = case.expected
    if expected.shape == () and isinstance(result, np.generic):
        result = np.asarray(result)
    if type(result) is not np.ndarray:
        return f"expected exactly an np.ndarray, got {type(result).__name__}"
    if result.dtype != expected.dtype:
        return f"expected dtype {expected.dtype}, got {result.dtype}"
    if result.shape != expected.shape:
        return f"expected shape {expected.shape}, got {result.shape}"
    comparison = compare(result, expected, problem.tolerance)
    if comparison.accepted:
        return ""
    return words.describe(
        CaseResult(
            name=case.name,
            group=case.group,
            verdict=Verdict.WA,
            reason=comparison.reason,
            error=comparison.difference,
        )
    )


class _Shown:
    """Shows an exception of the file's own lines, and opens a debugger there on a terminal."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: types.TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, KeyboardInterrupt):
            return
        own = frames
        while own is not None and own.tb_frame.f_code.co_filename != self._path:
            own = own.tb_next
        traceback.print_exception(kind, error, own or None)
        if own is not None and sys.stdin.isatty() and not isinstance(error, SystemExit):
            click.echo("The debugger stands where it was raised: p NAME, up, down, q.", err=True)
            pdb.post_mortem(own)
        raise _FailedError from None
