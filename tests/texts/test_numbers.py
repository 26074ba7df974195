"""No number in the texts is typed by hand: each is computed, or listed with the reason why not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "generator").glob("*.md.j2"))
ALLOWED: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "numbers.yaml").read_text()
)["allowed"]

# A number that is no part of a name: W_1, float64 and {1,i} after an underscore are names.
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
COMPUTED = "\x00"


@dataclass(frozen=True)
class Number:
    """A number typed in a template: where, and whether inside a formula."""

    place: str
    digits: str
    line: str
    start: int
    kind: str

    def is_allowed_by(self, entry: dict[str, Any]) -> bool:
        return (
            self.digits in entry["numbers"]
            and self.kind == entry.get("in", "text")
            and any(
                match.start() <= self.start < max(match.end(), match.start() + 1)
                for match in re.finditer(entry["near"], self.line)
            )
        )


def typed(source: str, place: str) -> Iterator[Number]:
    """Yield every number that a template's own text holds; code blocks are run by other tests."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    text = "".join(
        value if kind == "data" else COMPUTED + "\n" * value.count("\n")
        for _, kind, value in environment.lex(source)
    )
    text = re.sub(r"^```.*?^```$", _blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", _blank, text)
    formulas = [
        match.span() for match in re.finditer(r"\$\$.*?\$\$|\$[^$\n]*\$", text, flags=re.DOTALL)
    ]
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        for match in NUMBER.finditer(line):
            at = offset + match.start()
            inside = any(start < at < end for start, end in formulas)
            yield Number(
                f"{place}:{number}", match[0], line.rstrip("\n"), match.start(),
                "formula" if inside else "text",
            )  # fmt: skip
        offset += len(line)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def all_typed() -> list[Number]:
    return [number for path in TEMPLATES for number in typed(path.read_text(), path.name)]


def test_every_typed_number_is_listed_with_a_reason() -> None:
    unknown = [
        f"{number.place}: {number.digits} in {number.line.strip()[:100]!r}"
        for number in all_typed()
        if not any(number.is_allowed_by(entry) for entry in ALLOWED)
    ]
    assert unknown == []


def test_nothing_is_listed_that_is_not_there() -> None:
    numbers = all_typed()
    idle = [
        entry for entry in ALLOWED if not any(number.is_allowed_by(entry) for number in numbers)
    ]
    assert idle == []
    assert all(entry["reason"] for entry in ALLOWED)


@pytest.mark.parametrize(
    "line", ["About 512 features.", "It is $7 x$.", "≈ 0.507", "in 30,000 steps"]
)
def test_a_number_typed_by_hand_would_be_found(line: str) -> None:
    (number,) = typed(line, "x")
    assert not any(number.is_allowed_by(entry) for entry in ALLOWED)


def test_computed_numbers_and_names_are_not_typed_ones() -> None:
    line = "{{ 1 + 1 }} is $W_1 x$, `W1` is float64{# 5 #}{% if 3 %} x{% endif %}"
    assert list(typed(line, "x")) == []


# Drawings have coordinates, the list of works has pages and addresses.
COMPUTING = sorted(
    path
    for path in (ROOT / "generator" / "texts").glob("*.py")
    if path.stem not in ("figures", "svg", "references")
)


@pytest.mark.parametrize("path", COMPUTING, ids=lambda path: path.stem)
def test_the_computations_print_no_typed_number(path: Path) -> None:
    tree = ast.parse(path.read_text())
    described = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    described |= {id(node.value) for node in tree.body if isinstance(node, ast.Expr)}
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in described
    ]
    typed_by_hand = [node.value for node in strings if NUMBER.search(node.value)]
    assert [value for value in typed_by_hand if value != "utf-8"] == []
