"""Types of parameters and results as `problem.yaml` writes them: `float64[batch, sequence]`."""

from __future__ import annotations

import functools
import math
import re
from typing import Any, NamedTuple

from judge.arrays import Array

PYTHON_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
ARRAY_TYPES = ("float64", "int64", "bool")

_ARRAY = re.compile(r"(?P<dtype>[a-z]+[0-9]*)\s*\[(?P<dims>[^\[\]]*)\]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")


class ValueType(NamedTuple):
    """The type of one parameter or of the result.

    Args:
        text: as written in `problem.yaml`.
        dtype: NumPy dtype of an array ("float64"), or a Python type ("int").
        dims: dimension names or sizes of an array; None for a Python value.
    """

    text: str
    dtype: str
    dims: tuple[str, ...] | None

    @property
    def is_array(self) -> bool:
        """Whether the value is an `np.ndarray`."""
        return self.dims is not None

    def shape(self, sizes: dict[str, int]) -> tuple[int, ...]:
        """Return the shape under the given dimension sizes; raises KeyError for an unbound name."""
        return tuple(int(dim) if dim.isdigit() else sizes[dim] for dim in self.dims or ())


@functools.cache
def parse_type(text: str) -> ValueType:
    """Read a type.

    Args:
        text: `float64[…]`, `int64[…]` or `bool[…]` with dimension names or sizes, where `[]` is an
            array of shape (); or one of `int`, `float`, `bool`, `str`.

    Raises:
        ValueError: it is none of these; the message says what would be.
    """
    if text in PYTHON_TYPES:
        return ValueType(text, text, None)
    match = _ARRAY.fullmatch(text.strip())
    if not match or match["dtype"] not in ARRAY_TYPES:
        raise ValueError(
            f"{text!r} is no type: write float64[…], int64[…] or bool[…] with dimension names, "
            "or int, float, bool or str"
        )
    dims = tuple(part.strip() for part in match["dims"].split(",")) if match["dims"].strip() else ()
    for dim in dims:
        if not _NAME.fullmatch(dim):
            raise ValueError(f"{text!r}: {dim!r} is no dimension name")
    return ValueType(text, match["dtype"], dims)


def format_shape(shape: tuple[int, ...]) -> str:
    """Return a shape as Python writes it: (2, 4, 8), (3,), ()."""
    return str(tuple(int(size) for size in shape))


def format_dims(kind: ValueType) -> str:
    """Return the dimension names of an array type as a tuple: (rows, columns)."""
    dims = kind.dims or ()
    return f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(dims)})"


def describe_shape(kind: ValueType, shape: tuple[int, ...]) -> str:
    """Return a wanted shape with its names: "(2, 4) = (rows, columns)"."""
    if not kind.dims:
        return format_shape(shape)
    return f"{format_shape(shape)} = {format_dims(kind)}"


def bind(kind: ValueType, value: Any, sizes: dict[str, int]) -> str | None:
    """Check a value against its type, and bind the dimension names that it is the first to use.

    Args:
        kind: the type wanted.
        value: an array of either kind, or a Python value.
        sizes: dimension sizes bound so far; new ones are added.

    Returns:
        None when it fits, else what is wrong: "expected …, got …".
    """
    if kind.dims is None:
        wanted = PYTHON_TYPES[kind.dtype]
        if type(value) is not wanted:
            return f"expected {kind.dtype}, got {type(value).__name__} {value!r}"
        if isinstance(value, float) and not math.isfinite(value):
            return f"expected a finite number, got {value}"
        return None
    array = Array.of(value)
    if array is None or array.dtype != kind.dtype:
        got = array.dtype if array is not None else type(value).__name__
        return f"expected an array of {kind.dtype}, got {got}"
    if len(array.shape) != len(kind.dims):
        names = f"{len(kind.dims)} axes {format_dims(kind)}"
        return f"expected {names}, got shape {format_shape(array.shape)}"
    for dim, size in zip(kind.dims, array.shape, strict=True):
        sizes.setdefault(dim, int(dim) if dim.isdigit() else size)
    wanted_shape = kind.shape(sizes)
    if array.shape != wanted_shape:
        got = format_shape(array.shape)
        return f"expected shape {describe_shape(kind, wanted_shape)}, got {got}"
    return _non_finite(array) if kind.dtype == "float64" else None


def _non_finite(array: Array) -> str | None:
    elements = array.elements()
    if all(map(math.isfinite, elements)):
        return None
    place = next(i for i, element in enumerate(elements) if not math.isfinite(element))
    return f"expected finite numbers, got {elements[place]} at {array.index_of(place)}"
