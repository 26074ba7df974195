"""Faults of the files people write: collected, so that one run shows them all."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

T = TypeVar("T")


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong with one file: where, and what to do about it."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class BundleError(Exception):
    """A problem bundle, or a file given to the judge, is broken; holds every fault found.

    Args:
        faults: at least one fault, in the order found.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class Faults(msgspec.Struct):
    """Collects the faults of one file; `scope` descends to a key, `raise_if_any` ends it."""

    file: str
    path: str = ""
    found: list[Fault] = []

    def scope(self, key: str | int) -> Faults:
        """Return a view of the same collection at a key (`limits`) or an index (`cases[3]`)."""
        step = f"[{key}]" if isinstance(key, int) else f".{key}" if self.path else key
        return Faults(self.file, self.path + step, self.found)

    def add(self, message: str) -> None:
        """Record a fault at this place."""
        where = f"{self.file}: {self.path}" if self.path else self.file
        self.found.append(Fault(where, message))

    def raise_if_any(self) -> None:
        """Raise `BundleError` with everything collected, or return when there is nothing."""
        if self.found:
            raise BundleError(self.found)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ' (did you mean "…"?)' for the nearest known word, or '' where none is near."""
    import difflib  # only here, where something is wrong already

    choices = list(known)
    folded = {choice.lower().replace("_", "").replace("-", ""): choice for choice in choices}
    near = difflib.get_close_matches(word, choices, n=1)
    same = folded.get(word.lower().replace("_", "").replace("-", ""))
    best = same or (near[0] if near else None)
    return f' (did you mean "{best}"?)' if best else ""


def read_text(path: Path, faults: Faults) -> str | None:
    """Read a UTF-8 file, or record why it can't be read and return None."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        faults.add("the file is missing")
    except UnicodeDecodeError as error:
        faults.add(f"not UTF-8: byte {error.start} is {error.object[error.start]:#04x}")
    except OSError as error:
        faults.add(f"can't be read: {error.strerror}")
    return None


def decode(value: Any, kind: Any, faults: Faults) -> Any:
    """Turn plain values into typed structs, recording every fault rather than the first.

    Args:
        value: what YAML or JSON gave: dicts, lists, strings, numbers.
        kind: a `msgspec.Struct` type, `list[…]`, `dict[str, …]`, `tuple[…, ...]`, a union with
            None, or a plain type.
        faults: where to record; its path names `value`.

    Returns:
        The typed value, or None where anything in it was at fault.
    """
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        branches = [branch for branch in get_args(kind) if branch is not type(None)]
        if value is None and len(branches) < len(get_args(kind)):
            return None
        if len(branches) == 1:
            return decode(value, branches[0], faults)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _decode_struct(value, kind, faults)
    if origin in (list, tuple) and isinstance(value, list):
        inner = get_args(kind)[0]
        decoded = [decode(item, inner, faults.scope(i)) for i, item in enumerate(value)]
        return tuple(decoded) if origin is tuple else decoded
    if origin is dict and isinstance(value, dict):
        inner = get_args(kind)[1]
        return {
            str(key): decode(item, inner, faults.scope(str(key))) for key, item in value.items()
        }
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        faults.add(_plain(str(error), value))
        return None


def _decode_struct(value: Any, kind: type[msgspec.Struct], faults: Faults) -> Any:
    if not isinstance(value, Mapping):
        faults.add(f"expected keys and values, got {_describe(value)}")
        return None
    before = len(faults.found)
    fields, hints = _layout(kind)
    for key in value:
        if key not in fields:
            faults.scope(str(key)).add(f"unknown key{did_you_mean(str(key), fields)}")
    decoded: dict[str, Any] = {}
    for key, info in fields.items():
        if key in value:
            decoded[info.name] = decode(value[key], hints[info.name], faults.scope(key))
        elif info.required:
            faults.scope(key).add("this key is missing")
    if len(faults.found) > before:
        return None
    try:
        # Structs check what belongs together (a range, a pair of keys) in __post_init__.
        return kind(**decoded)
    except ValueError as error:
        faults.add(str(error))
        return None


@functools.cache
def _layout(
    kind: type[msgspec.Struct],
) -> tuple[dict[str, msgspec.structs.FieldInfo], dict[str, Any]]:
    """Return a struct's fields by the name that files have, and their types: slow to find out."""
    return {info.encode_name: info for info in msgspec.structs.fields(kind)}, get_type_hints(kind)


_WORDS = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false",
          "object": "keys and values", "array": "a list", "null": "nothing"}  # fmt: skip


def _plain(message: str, value: Any) -> str:
    """Put msgspec's wording into words for people: 'Expected `int`, got `str`'."""
    text = message.split(" - at ", maxsplit=1)[0]
    for name, word in _WORDS.items():
        text = text.replace(f"`{name}`", word)
    text = text[:1].lower() + text[1:]
    if ", got " in text:
        return f"{text.split(', got ')[0]}, got {_describe(value)}"
    return f"{text}, got {_describe(value)}"


def _describe(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
