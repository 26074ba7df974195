"""Test cases on disk: `NAME.in.json`, `NAME.ans.json` and the manifest that names them in order.

Both file formats are exact: floats are written by `repr`, larger arrays as little-endian base64.
docs/formats.md describes them, with a ten-line reader.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from judge.faults import BundleError, Fault, Faults
from judge.problem import Problem
from judge.signature import PYTHON_TYPES, ValueType, bind

CASE_FORMAT = 1
MANIFEST_FORMAT = 1
FOLDER = "testcases"
MANIFEST = "manifest.json"
LARGEST_NESTED = 1024
"""An array of more elements than this is written as base64 rather than nested lists."""

_LARGEST_BYTES = 1 << 28


class CaseEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the manifest says of one case.

    Args:
        name: group and what the case shows ("secret/near-eps-rows"); also its path.
        group: its group.
        family: the family of inputs it was drawn from; "given" when written out by hand.
        attempt: which draw was kept, from 0.
        tags: what the judge may know about the case ("core", "probe", "multi-head", …).
        shows: one sentence on why the case is there.
        shapes: shape of every array parameter.
        input_sha256: digest of `NAME.in.json`.
        answer_sha256: digest of `NAME.ans.json`.
        precision: bits at which every element's rounding was proved.
        bound: worst-case error of a sane float64 implementation, in the metric
            |actual - exact| / (1 + |exact|), rounded up to two digits.
        made_by: digest of the case's entry in `cases.yaml` and of everything in `made_from`.
    """

    name: str
    group: str
    family: str
    attempt: int
    tags: list[str]
    shows: str
    shapes: dict[str, list[int]]
    input_sha256: str
    answer_sha256: str
    precision: int
    bound: float
    made_by: str


class TagInfo(msgspec.Struct, frozen=True):
    """What a tag says of the cases that carry it.

    Args:
        text: in words, as in "more than one head".
        switches_off: for a probe, the half of the computation that adds nothing in it.
    """

    text: str
    switches_off: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`testcases/manifest.json`: every case in order, and what made them.

    Args:
        format: `MANIFEST_FORMAT`.
        problem: the problem's name in files, "row-sums".
        seed: the bundle seed the cases were drawn with.
        made_from: digest or version of each thing that decides the cases' content: "generator",
            "exact reference", "signature", "tolerance", "arithmetic", "flint".
        tags: what each tag says.
        cases: every case, in the order of `cases.yaml`.
    """

    format: int
    problem: str
    seed: int
    made_from: dict[str, str]
    tags: dict[str, TagInfo]
    cases: list[CaseEntry]


class TestCase(msgspec.Struct, frozen=True, eq=False):
    """A case ready to be judged.

    Args:
        name: "group/what-it-shows".
        group: its group.
        tags: what the judge may know about it.
        inputs: the arguments in the function's order: arrays and Python values.
        expected: the answer, an array (shape () for a scalar).
    """

    __test__ = False  # its name is the field's term, not a test of pytest's

    name: str
    group: str
    tags: tuple[str, ...]
    inputs: tuple[Any, ...]
    expected: np.ndarray


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


def encode_value(value: Any) -> Any:
    """Return a value as JSON holds it: numbers, nested lists, or an object for a large array."""
    if not isinstance(value, np.ndarray):
        return value
    if value.size <= LARGEST_NESTED:
        return value.tolist()
    little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    return {
        "dtype": str(value.dtype),
        "shape": list(value.shape),
        "base64": base64.b64encode(little.tobytes()).decode("ascii"),
    }


def encode_input(inputs: Mapping[str, Any]) -> bytes:
    """Return the bytes of `NAME.in.json`; equal inputs give equal bytes."""
    values = {name: encode_value(value) for name, value in inputs.items()}
    return _dump({"format": CASE_FORMAT, "input": values})


def encode_answer(expected: np.ndarray) -> bytes:
    """Return the bytes of `NAME.ans.json`."""
    return _dump({"format": CASE_FORMAT, "expected": encode_value(expected)})


def decode_input(data: bytes, problem: Problem, faults: Faults) -> dict[str, Any]:
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
            values[name] = decode_value(raw, kinds[name]) if name in kinds else None
        except ValueError as error:
            faults.scope(name).add(str(error))
    return values


def decode_answer(data: bytes, kind: ValueType, faults: Faults) -> np.ndarray | None:
    """Read `NAME.ans.json`, or record what is wrong and return None."""
    try:
        document = msgspec.json.decode(data, type=_AnswerFile)
        if document.format != CASE_FORMAT:
            faults.add(f"format {document.format}: this judge reads format {CASE_FORMAT}")
            return None
        return np.asarray(decode_value(document.expected, kind))
    except (msgspec.DecodeError, ValueError) as error:
        faults.add(f"not an answer file: {error}")
        return None


def decode_value(raw: msgspec.Raw | bytes, kind: ValueType) -> Any:
    """Turn one JSON value into an array or Python value of the type wanted.

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
        return _decode_blob(data, kind)
    element: Any = {"float64": float, "int64": int, "bool": bool}[kind.dtype]
    nested: Any = element
    for _ in kind.dims:
        nested = list[nested]
    try:
        values = msgspec.json.decode(data, type=nested)
    except msgspec.DecodeError as error:
        raise ValueError(f"expected {kind.text} as nested lists: {error}") from None
    try:
        array = np.array(values, dtype=kind.dtype)
    except (ValueError, OverflowError):
        raise ValueError(f"expected {kind.text}: the lists have unequal lengths") from None
    if array.ndim != len(kind.dims):
        raise ValueError(f"expected {kind.text}: an axis is empty")
    return array


def _decode_blob(data: bytes, kind: ValueType) -> np.ndarray:
    try:
        blob = msgspec.json.decode(data, type=ArrayBlob)
    except (msgspec.DecodeError, binascii.Error) as error:
        raise ValueError(f"not an array with dtype, shape and base64: {error}") from None
    if blob.dtype != kind.dtype:
        raise ValueError(f"expected an array of {kind.dtype}, got {blob.dtype}")
    dtype = np.dtype(blob.dtype).newbyteorder("<")
    if any(size < 0 for size in blob.shape) or math.prod(blob.shape) > _LARGEST_BYTES:
        raise ValueError(f"shape {blob.shape} is impossible")
    wanted = math.prod(blob.shape) * dtype.itemsize
    if len(blob.base64) != wanted:
        raise ValueError(f"shape {blob.shape} needs {wanted} bytes, base64 has {len(blob.base64)}")
    return np.frombuffer(blob.base64, dtype=dtype).reshape(blob.shape).astype(kind.dtype)


def load_manifest(problem: Problem) -> Manifest:
    """Read a bundle's manifest.

    Raises:
        BundleError: it is missing or broken; the message says how to make it.
    """
    where = f"{FOLDER}/{MANIFEST}"
    path = problem.folder / FOLDER / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        fault = Fault(where, "the file is missing; make it with: judge generate")
        raise BundleError([fault]) from None
    except (OSError, msgspec.DecodeError) as error:
        fault = Fault(where, f"can't be read ({error}); make it again with: judge generate")
        raise BundleError([fault]) from None
    faults = Faults(where)
    if manifest.format != MANIFEST_FORMAT:
        faults.add(f"format {manifest.format}: this judge reads format {MANIFEST_FORMAT}")
    groups = problem.weights
    for entry in manifest.cases:
        if entry.group not in groups:
            faults.add(f'case {entry.name}: problem.yaml has no group "{entry.group}"')
    faults.raise_if_any()
    return manifest


def load_cases(problem: Problem, names: Iterable[str] | None = None) -> list[TestCase]:
    """Read the test cases of a bundle in the manifest's order.

    Args:
        problem: the bundle.
        names: which cases; all when None.

    Raises:
        BundleError: a file is missing, was edited since the manifest was written, or does not fit
            the signature; all such faults at once.
    """
    manifest = load_manifest(problem)
    wanted = None if names is None else set(names)
    faults = Faults(FOLDER)
    cases = []
    for entry in manifest.cases:
        if wanted is not None and entry.name not in wanted:
            continue
        case = _load_case(problem, entry, faults.found)
        if case is not None:
            cases.append(case)
    faults.raise_if_any()
    return cases


def _load_case(problem: Problem, entry: CaseEntry, found: list[Fault]) -> TestCase | None:
    before = len(found)
    contents: dict[str, bytes] = {}
    for ending, digest in (("in", entry.input_sha256), ("ans", entry.answer_sha256)):
        faults = Faults(f"{FOLDER}/{entry.name}.{ending}.json", found=found)
        try:
            data = (problem.folder / FOLDER / f"{entry.name}.{ending}.json").read_bytes()
        except OSError as error:
            reason = "is missing" if isinstance(error, FileNotFoundError) else f"{error.strerror}"
            faults.add(f"the file {reason}; make it again with: judge generate")
            continue
        if hashlib.sha256(data).hexdigest() != digest:
            faults.add(
                "the file is not the one in the manifest (edited or cut short); "
                "make it again with: judge generate"
            )
            continue
        contents[ending] = data
    if len(found) > before:
        return None
    faults = Faults(f"{FOLDER}/{entry.name}.in.json", found=found)
    inputs = decode_input(contents["in"], problem, faults)
    if len(found) > before:
        return None
    sizes = problem.check_inputs(inputs, faults)
    faults = Faults(f"{FOLDER}/{entry.name}.ans.json", found=found)
    expected = decode_answer(contents["ans"], problem.function.result, faults)
    if expected is not None and len(found) == before:
        fault = bind(problem.function.result, expected, sizes)
        if fault:
            faults.add(fault)
    if len(found) > before or expected is None:
        return None
    arguments = tuple(inputs[parameter.name] for parameter in problem.function.parameters)
    return TestCase(entry.name, entry.group, tuple(entry.tags), arguments, expected)


def _dump(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, allow_nan=False, separators=(", ", ": "))
    return text.encode("ascii") + b"\n"
