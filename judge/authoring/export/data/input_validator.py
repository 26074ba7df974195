"""Checks one test case's input: exit code 42 when it is valid, 43 and a sentence when not.

It has to be written exactly as the problem's own files are, to the byte; every parameter has the
type, the shape and the dimensions of the signature; and the problem's constraints hold.
Needs nothing but the standard library.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
from typing import Any, NoReturn

SPEC: Any = json.loads(r"""{}""")

VALID, INVALID = 42, 43
PYTHON_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
ELEMENTS: dict[str, tuple[type, str]] = {
    "float64": (float, "d"),
    "int64": (int, "q"),
    "bool": (bool, "?"),
}


class InputError(Exception):
    """What is wrong with the input."""


def check(data: bytes) -> None:
    """Raise InputError unless the bytes are a valid input."""
    try:
        text = data.decode("ascii")
        document = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise InputError(f"not a JSON document in ASCII: {error}") from None
    if not isinstance(document, dict) or list(document) != ["format", "input"]:
        raise InputError('expected an object with the keys "format" and "input"')
    if json.dumps(document["format"]) != json.dumps(SPEC["format"]):
        raise InputError("expected format {}".format(SPEC["format"]))
    inputs = document["input"]
    names = [parameter["name"] for parameter in SPEC["parameters"]]
    if not isinstance(inputs, dict) or list(inputs) != names:
        raise InputError("expected exactly these parameters, in order: {}".format(", ".join(names)))
    sizes: dict[str, int] = {}
    for parameter in SPEC["parameters"]:
        _check_value(parameter, inputs[parameter["name"]], sizes)
    for constraint in SPEC["constraints"]:
        # An expression of the package itself, over whole numbers alone.
        if not eval(constraint, {"__builtins__": {}}, dict(sizes)):  # noqa: S307
            raise InputError(f"breaks the constraint {constraint}")
    if json.dumps(document, separators=(", ", ": ")) + "\n" != text:
        raise InputError("not written as the problem's own files are (spaces, line ends, digits)")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _check_value(parameter: dict[str, str], value: Any, sizes: dict[str, int]) -> None:
    name, kind = parameter["name"], parameter["type"]
    dtype, bracket, dims = kind.partition("[")
    if not bracket:
        if type(value) is not PYTHON_TYPES[dtype]:
            raise InputError(f"{name}: expected {dtype}")
        if isinstance(value, int) and dtype == "int":
            sizes[name] = value
        return
    names = [dim.strip() for dim in dims.rstrip("] ").split(",") if dim.strip()]
    if isinstance(value, dict):
        shape = _check_blob(name, dtype, value)
    else:
        shape = _check_nested(name, dtype, value, len(names))
        if math.prod(shape) > SPEC["largest_nested"]:
            raise InputError(f"{name}: an array this large is written as base64")
    if len(shape) != len(names):
        raise InputError(f"{name}: expected {len(names)} axes, got {len(shape)}")
    for dim, size in zip(names, shape):  # noqa: B905 (of equal length; strict needs Python 3.10)
        if sizes.setdefault(dim, int(dim) if dim.isdigit() else size) != size:
            raise InputError(f"{name}: {dim} is {size} here and {sizes[dim]} elsewhere")


def _check_nested(name: str, dtype: str, value: Any, depth: int) -> tuple[int, ...]:
    """Check nested lists and return their shape."""
    if depth == 0:
        if type(value) is not ELEMENTS[dtype][0]:
            raise InputError(f"{name}: {value!r} is no {dtype}")
        return ()
    if type(value) is not list or not value:
        raise InputError(f"{name}: expected {dtype} as nested lists, none of them empty")
    shapes = {_check_nested(name, dtype, item, depth - 1) for item in value}
    if len(shapes) != 1:
        raise InputError(f"{name}: the lists have unequal lengths")
    return (len(value), *shapes.pop())


def _check_blob(name: str, dtype: str, value: dict[str, Any]) -> tuple[int, ...]:
    """Check an array written as base64 and return its shape."""
    if list(value) != ["dtype", "shape", "base64"] or value["dtype"] != dtype:
        raise InputError(f"{name}: expected dtype {dtype}, shape and base64")
    shape = value["shape"]
    if type(shape) is not list or not all(type(n) is int and n > 0 for n in shape):
        raise InputError(f"{name}: {shape!r} is no shape")
    count = math.prod(shape)
    if count <= SPEC["largest_nested"]:
        raise InputError(f"{name}: an array this small is written as lists")
    try:
        data = base64.b64decode(value["base64"], validate=True)
        elements = struct.unpack(f"<{count}{ELEMENTS[dtype][1]}", data)
    except (ValueError, TypeError, struct.error) as error:
        raise InputError(f"{name}: not base64 of {count} elements: {error}") from None
    if base64.b64encode(data).decode("ascii") != value["base64"]:
        raise InputError(f"{name}: not the one way to write these bytes as base64")
    if dtype == "float64" and not all(map(math.isfinite, elements)):
        raise InputError(f"{name}: not all numbers are finite")
    return tuple(shape)


def main() -> NoReturn:
    """Check standard input."""
    try:
        check(sys.stdin.buffer.read())
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(INVALID)
    except RecursionError:
        sys.stderr.write("nested too deeply\n")
        sys.exit(INVALID)
    sys.exit(VALID)


if __name__ == "__main__":
    main()
