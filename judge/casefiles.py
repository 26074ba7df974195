"""The two files of a test case, `NAME.in.json` and `NAME.ans.json`.

Both formats are exact: floats are written by `repr`, larger arrays as little-endian base64.
docs/formats.md describes them, with a ten-line reader.
"""

from __future__ import annotations

import array
import base64
import binascii
import functools
import itertools
import json
import math
import struct
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from judge.arrays import FORMATS, Array, as_numpy
from judge.faults import Faults
from judge.problem import Problem
from judge.signature import PYTHON_TYPES, ValueType

if TYPE_CHECKING:
    import numpy as np

CASE_FORMAT = 1
LARGEST_NESTED = 1024
"""An array of more elements than this is written as base64 rather than nested lists."""

_LARGEST_BYTES = 1 << 28
_ELEMENTS: dict[str, type] = {"float64": float, "int64": int, "bool": bool}


class ArrayBlob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A large array in JSON: dtype, shape, and its little-endian bytes in C order as base64."""

    dtype: str
    shape: list[int]
    base64: bytes


class _InputFile(msgspec.Struct, frozen=True):
    format: int
    input: dict[str, msgspec.Raw]


class _AnswerFile(msgspec.Struct, frozen=True):
    format: int
    expected: msgspec.Raw


# ------------------------------------------------------------------------------- writing


def encode_value(value: Any) -> Any:
    """Return a value as JSON holds it: numbers, nested lists, or an object for a large array."""
    found = Array.of(value)
    if found is None:
        return value
    if found.size <= LARGEST_NESTED:
        return as_numpy(value).tolist()
    return {
        "dtype": found.dtype,
        "shape": list(found.shape),
        "base64": base64.b64encode(_little_endian(found.dtype, found.data)).decode("ascii"),
    }


def encode_input(inputs: Mapping[str, Any]) -> bytes:
    """Return the bytes of `NAME.in.json`; equal inputs give equal bytes."""
    values = {name: encode_value(value) for name, value in inputs.items()}
    return _dump({"format": CASE_FORMAT, "input": values})


def encode_answer(expected: np.ndarray) -> bytes:
    """Return the bytes of `NAME.ans.json`."""
    return _dump({"format": CASE_FORMAT, "expected": encode_value(expected)})


def _dump(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, allow_nan=False, separators=(", ", ": "))
    return text.encode("ascii") + b"\n"


# ------------------------------------------------------------------------------- reading


def read_input(data: bytes, problem: Problem, faults: Faults) -> dict[str, Any]:
    """Read `NAME.in.json` into arrays and Python values by parameter name.

    Args:
        data: the file's bytes.
        problem: says which type each parameter has.
        faults: records what is not JSON, not of the format, or not of the parameter's type.
    """
    try:
        document = msgspec.json.decode(data, type=_InputFile)
    except msgspec.DecodeError as error:
        faults.add(f"not an input file: {error}")
        return {}
    if document.format != CASE_FORMAT:
        faults.add(f"format {document.format}: this judge reads format {CASE_FORMAT}")
        return {}
    kinds = {parameter.name: parameter.kind for parameter in problem.function.parameters}
    values: dict[str, Any] = {}
    for name, raw in document.input.items():
        try:
            values[name] = read_value(raw, kinds[name]) if name in kinds else None
        except ValueError as error:
            faults.scope(name).add(str(error))
    return values


def read_answer(data: bytes, kind: ValueType, faults: Faults) -> Array | None:
    """Read `NAME.ans.json`, or record what is wrong and return None."""
    try:
        document = msgspec.json.decode(data, type=_AnswerFile)
        if document.format != CASE_FORMAT:
            faults.add(f"format {document.format}: this judge reads format {CASE_FORMAT}")
            return None
        value = read_value(document.expected, kind)
    except (msgspec.DecodeError, ValueError) as error:
        faults.add(f"not an answer file: {error}")
        return None
    if not isinstance(value, Array):
        faults.add(f"not an answer file: {kind.text} is no array")
        return None
    return value


def read_value(raw: msgspec.Raw | bytes, kind: ValueType) -> Any:
    """Turn one JSON value into an `Array` or Python value of the type wanted.

    Raises:
        ValueError: it is none; NaN and infinities have no JSON and can't occur.
    """
    data = bytes(raw)
    if kind.dims is None:
        wanted = PYTHON_TYPES[kind.dtype]
        try:
            return msgspec.json.decode(data, type=wanted)
        except msgspec.DecodeError as error:
            raise ValueError(f"expected {kind.dtype}: {error}") from None
    if data.lstrip()[:1] == b"{":
        return _read_blob(data, kind)
    try:
        values = _decoder(kind.dtype, len(kind.dims)).decode(data)
    except msgspec.DecodeError as error:
        raise ValueError(f"expected {kind.text} as nested lists: {error}") from None
    return _from_nested(values, kind)


@functools.cache
def _decoder(dtype: str, axes: int) -> msgspec.json.Decoder[Any]:
    nested: Any = _ELEMENTS[dtype]
    for _ in range(axes):
        nested = list[nested]
    return msgspec.json.Decoder(nested)


def _from_nested(values: Any, kind: ValueType) -> Array:
    """Flatten nested lists level by level; each level tells one axis."""
    level, shape = [values], []
    for _ in kind.dims or ():
        lengths = {len(value) for value in level}
        if not lengths:
            raise ValueError(f"expected {kind.text}: an axis is empty")
        if len(lengths) > 1:
            raise ValueError(f"expected {kind.text}: the lists have unequal lengths")
        shape.append(lengths.pop())
        level = list(itertools.chain.from_iterable(level))
    return Array(kind.dtype, tuple(shape), _packed(level, kind))


def _packed(values: list[Any], kind: ValueType) -> bytes:
    if kind.dtype == "bool":
        return bytes(values)
    try:
        return array.array(FORMATS[kind.dtype], values).tobytes()
    except OverflowError:
        raise ValueError(f"expected {kind.text}: a number does not fit 64 bits") from None


def _read_blob(data: bytes, kind: ValueType) -> Array:
    try:
        blob = msgspec.json.decode(data, type=ArrayBlob)
    except (msgspec.DecodeError, binascii.Error) as error:
        raise ValueError(f"not an array with dtype, shape and base64: {error}") from None
    if blob.dtype != kind.dtype:
        raise ValueError(f"expected an array of {kind.dtype}, got {blob.dtype}")
    if any(size < 0 for size in blob.shape) or math.prod(blob.shape) > _LARGEST_BYTES:
        raise ValueError(f"shape {blob.shape} is impossible")
    wanted = math.prod(blob.shape) * struct.calcsize(f"={FORMATS[kind.dtype]}")
    if len(blob.base64) != wanted:
        raise ValueError(f"shape {blob.shape} needs {wanted} bytes, base64 has {len(blob.base64)}")
    return Array(kind.dtype, tuple(blob.shape), _little_endian(kind.dtype, blob.base64))


def _little_endian(dtype: str, data: bytes) -> bytes:
    """Turn the machine's byte order into little-endian, or back."""
    if sys.byteorder == "little" or dtype == "bool":
        return data
    swapped = array.array(FORMATS[dtype], data)
    swapped.byteswap()
    return swapped.tobytes()


# ------------------------------------------------------------------------------- as NumPy's arrays


def decode_input(data: bytes, problem: Problem, faults: Faults) -> dict[str, Any]:
    """Do as `read_input`, with NumPy arrays."""
    found = read_input(data, problem, faults)
    return {name: as_numpy(value) for name, value in found.items()}


def decode_answer(data: bytes, kind: ValueType, faults: Faults) -> np.ndarray | None:
    """Do as `read_answer`, with a NumPy array."""
    found = read_answer(data, kind, faults)
    return None if found is None else found.numpy()


def decode_value(raw: msgspec.Raw | bytes, kind: ValueType) -> Any:
    """Do as `read_value`, with a NumPy array."""
    return as_numpy(read_value(raw, kind))
