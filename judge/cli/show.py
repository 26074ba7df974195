"""`judge show`: a test case to read and to paste, or the list of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
import numpy as np

from judge.cli import options, output
from judge.faults import did_you_mean
from judge.report import PUBLIC_GROUPS, Audience, writing
from judge.report.text import TextStyle, wrapped

if TYPE_CHECKING:
    from judge.problem import Problem
    from judge.testcases import CaseEntry

SHOW_FORMAT = 1

_PRINTED_DIGITS = 6
_LARGEST_PRINTED = 200


@dataclass(frozen=True, eq=False)
class Shown:
    """What is shown of one case.

    Args:
        title: its name.
        facts: group, tags and the like, by name.
        inputs: arguments by parameter name.
        expected: the answer.
    """

    title: str
    facts: Mapping[str, Any]
    inputs: Mapping[str, Any]
    expected: np.ndarray


@click.command("show")
@click.argument("name", required=False, metavar="[CASE]")
@click.option(
    "--counterexample",
    metavar="ID",
    help="The public case that shows a known mistake, by the mistake's id.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "python", "json"]),
    default="text",
    show_default=True,
    help="python is the snippet alone, to save and run.",
)
@click.option(
    "--file",
    "file_name",
    metavar="FILE",
    help="Your file, which the snippet imports; by default named like the function.",
)
@options.audience_option
@options.problem_option
@options.color_option
def command(
    name: str | None,
    counterexample: str | None,
    output_format: str,
    file_name: str | None,
    audience: str,
    problem_folder: Path | None,
    color: bool | None,
) -> int:
    """Show test cases: all by name, or one with inputs, answer and a snippet to paste.

    \b
    Examples:
      judge show
      judge show sample/two-heads
      judge show two-heads --format python --file my_solution.py > try_it.py
      judge show --counterexample eps-outside-root
    """
    problem = options.load_problem(problem_folder)
    if name is None and counterexample is None:
        if output_format == "python":
            raise click.UsageError("--format python needs a case")
        _list(problem, audience, output_format, color)
        return options.EXIT_ACCEPTED
    if name is not None and counterexample is not None:
        raise click.UsageError("name a case or a counterexample, not both")
    if counterexample is not None:
        shown = _counterexample(problem, counterexample, audience)
    else:
        shown = _case(problem, str(name), audience)
    output.write_text(_written(problem, shown, output_format, file_name))
    return options.EXIT_ACCEPTED


def _counterexample(problem: Problem, mistake: str, audience: str) -> Shown:
    from judge.counterexamples import load_counterexamples, secret_answers

    found = load_counterexamples(problem)
    if mistake not in found:
        near = did_you_mean(mistake, found)
        raise click.UsageError(f'there is no counterexample for "{mistake}"{near}')
    example = found[mistake]
    hidden = audience == Audience.LEARNER
    if hidden and example.expected.tobytes() in secret_answers(problem, PUBLIC_GROUPS):
        raise click.UsageError(f"the counterexample for {mistake} is also a secret case")
    title = f"counterexample for {mistake}"
    return Shown(title, {"mistake": mistake}, example.inputs, example.expected)


def _case(problem: Problem, name: str, audience: str) -> Shown:
    """Find a case by its name, or by the part after the group.

    Raises:
        click.UsageError: there is none, or this audience may not see it.
    """
    from judge.testcases import load_cases, load_manifest

    entries = load_manifest(problem).cases
    entry = _find(entries, name)
    if audience == Audience.LEARNER and entry.group not in PUBLIC_GROUPS:
        raise click.UsageError(f"{entry.name} is secret; samples and counterexamples are not")
    case = load_cases(problem, [entry.name])[0]
    parameters = [parameter.name for parameter in problem.function.parameters]
    inputs = dict(zip(parameters, case.inputs, strict=True))
    facts = {"shows": entry.shows, "group": entry.group, "tags": entry.tags}
    return Shown(entry.name, facts, inputs, case.expected)


def _find(entries: Sequence[CaseEntry], name: str) -> CaseEntry:
    by_name = {entry.name: entry for entry in entries}
    matching = [e for e in entries if name in (e.name, e.name.partition("/")[2])]
    if name in by_name or len(matching) == 1:
        return by_name.get(name) or matching[0]
    if matching:
        listed = ", ".join(entry.name for entry in matching)
        raise click.UsageError(f'"{name}" may be one of {listed}')
    near = did_you_mean(name, [*by_name, *(each.partition("/")[2] for each in by_name)])
    raise click.UsageError(f'no case is called "{name}"{near}\nList them with: judge show')


def _written(problem: Problem, shown: Shown, output_format: str, file_name: str | None) -> str:
    from judge.casefiles import encode_value
    from judge.report.snippet import snippet

    module = None if file_name is None else file_name.removesuffix(".py")
    if output_format == "json":
        document = {
            "format": SHOW_FORMAT,
            "name": shown.title,
            **shown.facts,
            "input": {name: encode_value(value) for name, value in shown.inputs.items()},
            "expected": encode_value(shown.expected),
        }
        return msgspec.json.encode(document).decode() + "\n"
    program = snippet(problem, shown.title, shown.inputs, shown.expected, module)
    return program if output_format == "python" else _text(shown, program)


def _text(shown: Shown, program: str) -> str:
    lines = [shown.title]
    for name, fact in shown.facts.items():
        text = ", ".join(fact) if isinstance(fact, list) else str(fact)
        lines += [f"  {name:<7}{text}"] if text else []
    for name, value in [*shown.inputs.items(), ("expected", shown.expected)]:
        lines += ["", *_value(name, value)]
    lines += ["", "To paste into Python, with every digit:", "", program]
    return "\n".join(lines)


def _value(name: str, value: Any) -> list[str]:
    """Print a value for reading: few digits, and the middle of large arrays left out."""
    if not isinstance(value, np.ndarray):
        return [f"  {name} = {value!r}"]
    text = np.array2string(
        value,
        precision=_PRINTED_DIGITS,
        threshold=_LARGEST_PRINTED,
        suppress_small=False,
        max_line_width=max(40, options.terminal_width() - 8),
    )
    head = f"  {name}   {value.dtype} {value.shape}"
    return [head, *(f"      {line}" for line in text.splitlines())]


def _list(problem: Problem, audience: str, output_format: str, color: bool | None) -> None:
    """List the cases: names, tags and what each shows; of secret ones a learner gets the number."""
    from judge.testcases import load_manifest

    entries = load_manifest(problem).cases
    visible = [e for e in entries if audience == Audience.AUTHOR or e.group in PUBLIC_GROUPS]
    if output_format == "json":
        document = {
            "format": SHOW_FORMAT,
            "cases": [
                {
                    "name": entry.name,
                    "group": entry.group,
                    "tags": entry.tags,
                    "shows": entry.shows,
                    "shapes": entry.shapes,
                }
                for entry in visible
            ],
        }
        output.write_stdout(msgspec.json.encode(document) + b"\n")
        return
    output.write_text(_listing(visible, len(entries) - len(visible), color))


def _listing(entries: Sequence[CaseEntry], hidden: int, color: bool | None) -> str:
    style = TextStyle(width=options.terminal_width(), color=options.wants_color(color, sys.stdout))
    lines: list[str] = []
    for entry in entries:
        shapes = " ".join(f"{name}{tuple(shape)}" for name, shape in entry.shapes.items())
        first = shapes.partition(")")[0] + (")" if shapes else "")
        lines.append(f"{style.paint(entry.name, '1')}  {style.paint(first, '2')}")
        lines += wrapped(entry.shows, 4, style)
        if entry.tags:
            lines += [style.paint(line, "2") for line in wrapped(", ".join(entry.tags), 4, style)]
    if hidden:
        lines.append(f"{writing.count(hidden, 'secret case is', 'secret cases are')} not shown.")
    lines.append("")
    lines.append("Show one with: judge show CASE")
    return "\n".join(lines) + "\n"
