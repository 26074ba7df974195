"""What the judge found: the fault that is to be read first, and the mistakes it knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui

from judge.verdicts import Diagnosis, Report, Verdict
from judge.web.elements import Text, faint, small_button

ADVICE_STEPS = ("gentle", "clear", "explicit")

Advise = Callable[[str, str], str]
"""Advice on a mistake's id (or a pair's) at a level; empty when unknown."""


@dataclass(frozen=True)
class Knowledge:
    """What is known of mistakes.

    Args:
        advise: advice by mistake id and level.
        counterexample: a case to paste by mistake id; empty where there is none.
    """

    advise: Advise
    counterexample: Callable[[str], str]


def show_findings(report: Report, knowledge: Knowledge) -> None:
    """Add a card for the first fault and for each mistake that the submission looks like."""
    fine = (Verdict.AC, Verdict.NOT_RUN)
    failing = next((case for case in report.cases if case.verdict not in fine), None)
    if failing is not None and failing.message:
        with ui.element("section").classes("card fault"):
            Text("h2", f"{failing.verdict} in {failing.name}")
            Text("p", failing.message)
            if failing.line:
                faint(f"Line {failing.line}, marked in the editor.")
    for finding in report.diagnosis:
        with ui.element("section").classes("card"):
            _show_finding(finding, knowledge)


def _show_finding(finding: Diagnosis, knowledge: Knowledge) -> None:
    Text("h2", f"Looks like: {finding.title}")
    if finding.evidence is not None:
        faint(f"The same outputs as this mistake on {finding.evidence.cases} cases.")
    with ui.element("div").props('role="status"') as lines:
        Text("p", finding.advice)
    steps = [knowledge.advise(finding.id, level) for level in ADVICE_STEPS[1:]]
    remaining = [step for step in steps if step]
    if remaining:
        _add_more(remaining, lines)
    example = knowledge.counterexample(finding.counterexample or "")
    if example:
        with ui.expansion("A small case that shows it, to paste").classes("w-full"):
            Text("pre", example).props('tabindex="0" aria-label="A case to paste"')
            copy = small_button("Copy")
            copy.on_click(lambda: ui.clipboard.write(example))


def _add_more(remaining: list[str], lines: ui.element) -> None:
    button = small_button("Say more")

    def more() -> None:
        with lines:
            Text("p", remaining.pop(0))
        if not remaining:
            button.delete()

    button.on_click(more)
