"""JSON schemas of every file format, made from the types that read and write them.

Run `python -m judge.authoring.schemas docs/formats.md` to write them into that document.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from judge.authoring.generate.plan import Plan
from judge.authoring.sections import replace_section
from judge.casefiles import ArrayBlob
from judge.mistakes import MistakesFile
from judge.problem import Problem
from judge.testcases import Manifest
from judge.verdicts import Report

JsonValue = int | float | bool | str | list[Any] | ArrayBlob


class InputFile(msgspec.Struct, frozen=True):
    """`NAME.in.json`: a value for every parameter.

    Args:
        format: 1.
        input: by parameter name: a number, nested lists, or an array with dtype, shape and base64.
    """

    format: int
    input: dict[str, JsonValue]


class AnswerFile(msgspec.Struct, frozen=True):
    """`NAME.ans.json`: the proved answer.

    Args:
        format: 1.
        expected: a number, nested lists, or an array with dtype, shape and base64.
    """

    format: int
    expected: JsonValue


FORMATS: dict[str, Any] = {
    "problem": Problem,
    "cases": Plan,
    "input": InputFile,
    "answer": AnswerFile,
    "manifest": Manifest,
    "report": Report,
    "mistakes": MistakesFile,
}
"""Every format's name in docs/formats.md, and its type."""


def schema(name: str) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of one format."""

    def encoded(kind: type) -> Any:
        return {"type": "string", "contentEncoding": "base64"} if kind is bytes else {}

    document = msgspec.json.schema(FORMATS[name], schema_hook=encoded)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **document}


def render(text: str) -> str:
    """Return docs/formats.md with the schemas of today."""
    for name in FORMATS:
        block = json.dumps(schema(name), indent=1, ensure_ascii=False)
        content = f"<details><summary>JSON schema</summary>\n\n```json\n{block}\n```\n\n</details>"
        text = replace_section(text, f"schema-{name}", content)
    return text


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(render(path.read_text(encoding="utf-8")), encoding="utf-8")
