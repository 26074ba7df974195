"""Compares one output with the answer: exit code 42 when it is right, 43 when it is wrong.

Called as: output_validator INPUT ANSWER FEEDBACK_FOLDER/ < OUTPUT

Right is an array of the answer's dtype and shape, finite, whose every element satisfies
|actual - expected| <= absolute + relative * |expected|. What is checked first is told first. The
learner's message (teammessage.txt) names the kind of fault and no number; the judge's names all.
Needs nothing but the standard library.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

SPEC: Any = json.loads(r"""{}""")

RIGHT, WRONG = 42, 43
LARGEST = 1 << 26
_HEADER = 3
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


class OutputError(Exception):
    """What is wrong with an output: the kind of fault, and everything about it."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def compare(output: bytes, answer: bytes) -> None:
    """Raise OutputError unless the output's bytes are right by the answer's.

    White space only separates, and letters count the same large and small, as in the format's own
    validator.
    """
    expected = answer.decode("ascii").lower().split()
    actual = output[:LARGEST].decode("latin-1").lower().split()
    _compare_headers(actual[:_HEADER], expected[:_HEADER])
    actual, expected = actual[_HEADER:], expected[_HEADER:]
    if len(actual) != len(expected):
        detail = f"expected {len(expected)} elements, got {len(actual)}"
        raise OutputError("format", detail)
    parse = _parse_float if SPEC["returns"].startswith("float64") else _parse_whole
    for index, token in enumerate(actual):
        _compare_element(index, parse(index, token), parse(index, expected[index]))


def _compare_headers(actual: list[str], expected: list[str]) -> None:
    if len(actual) > 1 and actual[0] == "type":
        raise OutputError("type", f"expected an array, got {_shown(actual[1])}")
    if len(actual) < _HEADER or actual[0] != "array":
        raise OutputError("format", "the first line tells no array with its dtype and sizes")
    if actual[1] != expected[1]:
        raise OutputError("dtype", f"expected {expected[1]}, got {_shown(actual[1])}")
    if actual[2] != expected[2]:
        raise OutputError("shape", f"expected {expected[2]}, got {_shown(actual[2])}")


def _parse_float(index: int, line: str) -> float:
    if _NOT_FINITE.fullmatch(line):
        raise OutputError("non-finite", f"element {index} is {_shown(line)}")
    if not _FLOAT.fullmatch(line):
        raise OutputError("format", f"element {index} is no number: {_shown(line)}")
    value = float(line)
    if not math.isfinite(value):
        raise OutputError("non-finite", f"element {index} is {_shown(line)}")
    return value


def _parse_whole(index: int, line: str) -> int:
    if not _WHOLE.fullmatch(line):
        raise OutputError("format", f"element {index} is no whole number: {_shown(line)}")
    return int(line)


def _compare_element(index: int, actual: float, expected: float) -> None:
    if isinstance(expected, int):
        allowed, right = 0.0, actual == expected
    else:
        allowed = SPEC["absolute"] + SPEC["relative"] * abs(expected)
        right = abs(actual - expected) <= allowed
    if not right:
        detail = "element {}: expected {!r}, got {!r}, allowed difference {!r}"
        raise OutputError("value", detail.format(index, expected, actual, allowed))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


def _tell(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{text}\n")


def main() -> NoReturn:
    """Judge standard input."""
    answer, feedback = Path(sys.argv[2]).read_bytes(), Path(sys.argv[3])
    try:
        compare(sys.stdin.buffer.read(LARGEST + 1), answer)
    except OutputError as wrong:
        _tell(feedback / "judgemessage.txt", str(wrong))
        _tell(feedback / "teammessage.txt", SPEC["reasons"][wrong.reason])
        sys.exit(WRONG)
    sys.exit(RIGHT)


if __name__ == "__main__":
    main()
