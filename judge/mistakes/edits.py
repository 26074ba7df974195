"""Edits of a reference: located in its unedited text, each in exactly one place."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Sequence

import msgspec

from judge.faults import Faults, did_you_mean

Span = tuple[int, int, str]
"""Start and end in the unedited reference, and the text that replaces what is between."""


class Edit(msgspec.Struct, frozen=True, rename={"within": "in", "replacement": "with"}):
    """One replacement in the unedited reference.

    Args:
        replace: text that stands exactly once there, or in the function named by `within`.
        replacement: what stands there instead (`with` in the file).
        within: name of a top-level function that narrows the search (`in` in the file).
    """

    replace: str
    replacement: str
    within: str = ""

    def __post_init__(self) -> None:
        if not self.replace:
            raise ValueError("replace is empty")
        if self.replace == self.replacement:
            raise ValueError("replace and with are the same text")


def function_spans(source: str) -> dict[str, tuple[int, int]]:
    """Return where each top-level function of a Python source starts and ends, in characters.

    Decorators belong to their function.
    """
    starts = [0]
    for line in source.split("\n"):  # as Python counts lines: splitlines knows other ends, too
        starts.append(starts[-1] + len(line) + 1)
    spans = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            spans[node.name] = (starts[first - 1], starts[node.end_lineno or node.lineno])
    return spans


def locate(
    reference: str, edit: Edit, functions: dict[str, tuple[int, int]], faults: Faults
) -> Span | None:
    """Find the one place that an edit changes, or record why there is none and return None."""
    start, end = 0, len(reference)
    where = "the reference"
    if edit.within:
        if edit.within not in functions:
            near = did_you_mean(edit.within, functions)
            faults.scope("in").add(f'the reference has no function "{edit.within}"{near}')
            return None
        start, end = functions[edit.within]
        where = f"function {edit.within}"
    count = reference.count(edit.replace, start, end)
    if count != 1:
        faults.scope("replace").add(
            f"{edit.replace!r} stands {count} times in {where}, expected exactly once"
        )
        return None
    at = reference.index(edit.replace, start, end)
    return (at, at + len(edit.replace), edit.replacement)


def edited(text: str, spans: Iterable[Span]) -> str:
    """Return a text with disjoint spans replaced."""
    for start, end, replacement in sorted(spans, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def disjoint(spans: Sequence[Span]) -> bool:
    """Tell whether sorted spans leave room between each other: none overlaps the next."""
    return all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
