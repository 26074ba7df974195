"""Writes the reports of `judge run` in the format and to the place that were asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from judge.cli import options, output
from judge.report import PUBLIC_GROUPS, Audience, for_audience
from judge.report.failures import split_lines

if TYPE_CHECKING:
    from judge.cli.options import Submission
    from judge.mistakes import Level
    from judge.problem import Problem
    from judge.runner import Execution
    from judge.testcases import Manifest, TestCase
    from judge.verdicts import Report


class Wish(NamedTuple):
    """How the reports are wanted: the options of the command line, checked."""

    output_format: str
    output: Path | None
    audience: str
    advice: Level
    verbose: bool
    color: bool | None


class Reporter:
    """Takes one report after the other and writes each as soon as its format allows."""

    def __init__(self, problem: Problem, manifest: Manifest, wish: Wish, expected: int) -> None:
        self._problem = problem
        self._wish = wish
        self._pages = wish.output_format == "html" and expected > 1
        self._output = output.Output(None if self._pages else wish.output)
        self._written = 0
        self._kept: list[Report] = []
        self._page_names: set[str] = set()
        if wish.output_format == "text":
            # Imported while the sandbox boots rather than when all waits for it.
            import judge.report.text  # noqa: F401
        self._shows = {
            entry.name: entry.shows
            for entry in manifest.cases
            if wish.audience == Audience.AUTHOR or entry.group in PUBLIC_GROUPS
        }

    def add(
        self,
        submission: Submission,
        report: Report,
        cases: Sequence[TestCase],
        execution: Execution,
    ) -> None:
        """Report one submission.

        Args:
            submission: what was judged.
            report: the whole report; it is reduced here to what its audience may see.
            cases: the cases that were judged.
            execution: holds what the submission returned.
        """
        text = submission.text
        report = for_audience(report, self._wish.audience, lines=len(split_lines(text)))
        match self._wish.output_format:
            case "json":
                self._output.write(report.to_json() + b"\n")
            case "junit":
                self._kept.append(report)
            case "html":
                self._add_page(submission, report, cases, execution)
            case _:
                self._add_text(report, text)
        if self._wish.output is not None:
            self._say(report)

    def close(self) -> None:
        """Write what could be written only when the last report was there."""
        if self._wish.output_format == "junit":
            from judge.report.junit import to_junit

            self._output.write(to_junit(self._kept))
        self._output.close()

    def _add_text(self, report: Report, source: str) -> None:
        from judge.report.text import TextStyle, to_text

        wish = self._wish
        to_file = wish.output is not None
        style = TextStyle(
            width=100 if to_file else options.terminal_width(),
            color=bool(wish.color) if to_file else options.wants_color(wish.color, sys.stdout),
            verbose=wish.verbose,
            advice=wish.advice,
            shows=self._shows,
        )
        text = to_text(report, source, style)
        if self._written:
            text = f"\n{text}"
        self._written += 1
        encoding = "utf-8" if to_file else output.stdout_encoding()
        self._output.write(text.encode(encoding, errors="replace"))

    def _add_page(
        self,
        submission: Submission,
        report: Report,
        cases: Sequence[TestCase],
        execution: Execution,
    ) -> None:
        from judge.report.details import case_details
        from judge.report.html import to_html

        details = case_details(self._problem, cases, execution.outputs, self._wish.audience)
        page = to_html(report, submission.text, details=details, shows=self._shows)
        if not self._pages:
            self._output.write(page)
            return
        assert self._wish.output is not None  # noqa: S101 (checked with the options)
        try:
            self._wish.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self._wish.output}: can't be made: {error.strerror}"
            raise output.OutputError(message) from None
        output.write_file(self._wish.output / self._page_name(submission), page)

    def _page_name(self, submission: Submission) -> str:
        """Name a page after its submission; a second one of the same name gets a number."""
        stem = submission.path.stem if submission.path else "standard-input"
        name, number = f"{stem}.html", 2
        while name in self._page_names:
            name, number = f"{stem}-{number}.html", number + 1
        self._page_names.add(name)
        return name

    def _say(self, report: Report) -> None:
        """Tell the verdict on the terminal when the report itself goes to a file."""
        from judge.report.text import TextStyle, verdict_line

        color = options.wants_color(self._wish.color, sys.stderr)
        click.echo(verdict_line(report, TextStyle(width=1000, color=color)), err=True, color=color)


def warn_of_weak_isolation(report: Report) -> None:
    """Say in one line on standard error which property of isolation was not proved."""
    from judge.sandbox.selftest import missing_properties

    missing = missing_properties(report.isolation)
    if missing:
        click.echo(
            f"warning: isolation is weak here: {', '.join(missing)} not proved; "
            "judge only files that you trust (why: judge doctor)",
            err=True,
        )
