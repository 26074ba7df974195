"""A case as Python to paste: exact arrays, the call, and the comparison."""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from judge.problem import Problem

_LARGEST_WRITTEN = 1024
"""An array of more elements is written as base64, which is as exact and shorter."""

_COLUMNS = 88

_CHECK_ARRAY = """\
if type(actual) is not np.ndarray or actual.dtype != expected.dtype:
    raise SystemExit(f"expected an array of {expected.dtype}, got {type(actual)}: {actual}")
if actual.shape != expected.shape:
    raise SystemExit(f"expected shape {expected.shape}, got {actual.shape}")"""
_CHECK_SCALAR = "actual = np.asarray(actual)"
_COMPARE_FLOATS = """\
error = np.abs(actual - expected) / ({absolute!r} + {relative!r} * np.abs(expected))
worst = np.unravel_index(np.argmax(error), error.shape)
print("right" if (error <= 1).all() else "wrong")
print("worst element", [int(i) for i in worst], "expected", expected[worst], "got", actual[worst])
print("error over tolerance", error[worst])
"""
_COMPARE_FLOAT = """\
error = np.abs(actual - expected) / ({absolute!r} + {relative!r} * np.abs(expected))
print("right" if error <= 1 else "wrong")
print("expected", expected, "got", actual, "error over tolerance", error)
"""
_COMPARE_EXACTLY = """\
wrong = np.argwhere(actual != expected)
print("wrong" if len(wrong) else "right")
for index in wrong[:1]:
    at = tuple(index)
    print("first difference", index.tolist(), "expected", expected[at], "got", actual[at])
"""


def snippet(
    problem: Problem,
    title: str,
    inputs: Mapping[str, Any],
    expected: Any,
    module: str | None = None,
) -> str:
    """Return a program that calls the function with a case and tells how far off the result is.

    Args:
        problem: names the function, and says what may differ.
        title: which case it is.
        inputs: arguments by parameter name: arrays and Python values.
        expected: the answer, an array.
        module: name of the learner's file without `.py`; by default that of the starter.
    """
    name = problem.function.name
    answer = np.asarray(expected)
    lines = [
        f"# {title}",
        *_imports([*inputs.values(), answer]),
        _import_function(name, module),
        "",
    ]
    for parameter, value in inputs.items():
        lines.append(assignment(parameter, value))
    lines += [assignment("expected", answer), ""]
    lines.append(_call(name, list(inputs)))
    lines.append(_CHECK_ARRAY if answer.shape else _CHECK_SCALAR)
    if answer.dtype.kind == "f":
        tolerance = problem.tolerance
        floats = _COMPARE_FLOATS if answer.shape else _COMPARE_FLOAT
        ends = floats.format(absolute=tolerance.absolute, relative=tolerance.relative)
    else:
        ends = _COMPARE_EXACTLY
    return "\n".join(lines) + "\n" + ends


def _imports(values: list[Any]) -> list[str]:
    large = any(isinstance(v, np.ndarray) and v.size > _LARGEST_WRITTEN for v in values)
    return ["import base64", "", "import numpy as np", ""] if large else ["import numpy as np", ""]


def _import_function(name: str, module: str | None) -> str:
    """Import the function, by path where the file's name is no module's name."""
    stem = module or name
    if stem.isidentifier():
        return f"from {stem} import {name}  # your file; leave this line out when pasting into it"
    return f"import runpy\n{name} = runpy.run_path({stem + '.py'!r})[{name!r}]  # your file"


def _call(name: str, parameters: list[str]) -> str:
    line = f"actual = {name}({', '.join(parameters)})"
    if len(line) <= _COLUMNS:
        return line
    inside = textwrap.fill(
        ", ".join(parameters), _COLUMNS, initial_indent="    ", subsequent_indent="    "
    )
    return f"actual = {name}(\n{inside}\n)"


def assignment(name: str, value: Any) -> str:
    """Return a line of Python that makes a value again, to the last bit."""
    return f"{name} = {literal(value, len(name) + 3)}"


def literal(value: Any, column: int = 0) -> str:
    """Return a Python expression for an array or Python value, exact to the last bit.

    Args:
        value: an array of float64, int64 or bool, or an int, float, bool or str.
        column: where the expression begins, so that long ones can be set below each other.
    """
    if not isinstance(value, np.ndarray):
        return repr(value)
    dtype = "bool" if value.dtype == np.bool_ else f"np.{value.dtype.name}"
    if value.size > _LARGEST_WRITTEN:
        return _encoded(value, dtype)
    if value.size == 0:
        return f"np.zeros({value.shape}, dtype={dtype})"
    opening = "np.array("
    text = repr(value.tolist())
    whole = f"{opening}{text}, dtype={dtype})"
    if column + len(whole) <= _COLUMNS:
        return whole
    nested = _nested(value, 4)
    return f"{opening}\n    {nested},\n    dtype={dtype},\n)"


def _nested(value: np.ndarray, indent: int) -> str:
    """Write an array as nested lists, one row of the last axis to a line where it fits."""
    text = repr(value.tolist())
    if indent + len(text) <= _COLUMNS or value.ndim == 0:
        return text
    pad = " " * (indent + 4)
    if value.ndim == 1:
        body = textwrap.fill(text[1:-1], _COLUMNS, initial_indent=pad, subsequent_indent=pad)
        return f"[\n{body},\n{' ' * indent}]"
    rows = "".join(f"{pad}{_nested(row, indent + 4)},\n" for row in value)
    return f"[\n{rows}{' ' * indent}]"


def _encoded(value: np.ndarray, dtype: str) -> str:
    little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    text = base64.b64encode(little.tobytes()).decode("ascii")
    pieces = textwrap.wrap(text, _COLUMNS - 6)
    body = "\n".join(f'        "{piece}"' for piece in pieces)
    code = little.dtype.str
    return (
        f"np.frombuffer(\n    base64.b64decode(\n{body}\n    ),\n    dtype={code!r},\n)"
        f".reshape({value.shape}).astype({dtype})"
    )
