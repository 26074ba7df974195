"""How the texts write numbers: rounded to stated digits, exactly, as tables, as code to paste."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np

MINUS = "−"


def fixed(value: Any, digits: int) -> str:
    """Round one number to `digits` decimals; a zero has no sign, and the minus is a true one."""
    number = Decimal(float(value))
    if not number.is_finite():
        return {"NaN": "NaN", "Infinity": "∞", "-Infinity": f"{MINUS}∞"}[str(number)]
    step = Decimal(1).scaleb(-digits)
    rounded = number.quantize(step, rounding=ROUND_HALF_EVEN)
    text = f"{abs(rounded):.{digits}f}"
    return f"{MINUS}{text}" if rounded < 0 else text


def exact(value: Any) -> str:
    """Write one float so that reading it gives the same float: 0.9999997777776296."""
    return repr(float(value))


def vector(values: Any, digits: int) -> str:
    """Write a row of numbers, each rounded: [0.50, −1.25]."""
    return "[" + ", ".join(fixed(value, digits) for value in np.asarray(values).ravel()) + "]"


def nested(values: Any, digits: int) -> str:
    """Write an array as nested brackets, each number rounded."""
    array = np.asarray(values)
    if array.ndim == 0:
        return fixed(array, digits)
    return "[" + ", ".join(nested(row, digits) for row in array) + "]"


def table(
    values: Any, digits: int, rows: Sequence[str], columns: Sequence[str], corner: str = ""
) -> str:
    """Write a matrix as a Markdown table with a name for every row and column.

    Raises:
        ValueError: the names do not fit the matrix.
    """
    cells = np.atleast_2d(np.asarray(values))
    if cells.shape != (len(rows), len(columns)):
        raise ValueError(
            f"a matrix of shape {cells.shape} has {len(rows)} row names "
            f"and {len(columns)} column names"
        )
    body = [
        [name, *(fixed(value, digits) for value in row)]
        for name, row in zip(rows, cells, strict=True)
    ]
    return _grid([corner, *columns], body)


def _grid(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table; its first column is aligned left, the others right."""
    rule = ["---", *("---:" for _ in head[1:])]
    lines = [head, rule, *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def paste(value: Any, name: str) -> str:
    """Write an assignment that makes the very value: `x = np.array([[1.0, 0.0]])`.

    Rows of a matrix stand on lines of their own, so that no line grows long.
    """
    if not isinstance(value, np.ndarray):
        return f"{name} = {value!r}"
    if value.dtype == np.float64:
        literal, dtype = _literal(value, len(name) + len(" = np.array(")), ""
        if not value.size or ("." not in literal and "e" not in literal):
            dtype = ", dtype=np.float64"
    else:
        literal, dtype = (
            _literal(value, len(name) + len(" = np.array(")),
            f", dtype=np.{value.dtype}",
        )
    return f"{name} = np.array({literal}{dtype})"


def paste_all(values: Mapping[str, Any]) -> str:
    """Write one assignment a line for every value of a case."""
    return "\n".join(paste(value, name) for name, value in values.items())


def power_of_ten(value: float) -> str:
    r"""Write a number of one significant digit in LaTeX: 10^{-6}, 2 \times 10^{-12}.

    Raises:
        ValueError: the number has more than one significant digit.
    """
    _sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    if len(digits) != 1 or not isinstance(exponent, int):
        raise ValueError(f"{value!r} has more than one significant digit")
    base = f"10^{{{exponent}}}"
    return base if digits == (1,) else rf"{digits[0]} \times {base}"


def scientific(value: Any, digits: int = 1) -> str:
    r"""Round to `digits` significant digits in LaTeX: 2.3 \times 10^{-7}."""
    mantissa, exponent = f"{float(value):.{digits - 1}e}".split("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}"


def magnitude_below(value: Any) -> str:
    r"""The power of ten at or below a positive number, in LaTeX.

    Unlike a rounded digit, it says the same for results that differ in their last bits from one
    machine to the next.
    """
    return rf"10^{{{math.floor(math.log10(float(value)))}}}"


def magnitude_above(value: Any, step: int = 1) -> str:
    """The power of ten above a positive number, in LaTeX; its exponent a multiple of `step`."""
    exponent = math.floor(math.log10(float(value))) + 1
    return rf"10^{{{-(-exponent // step) * step}}}"


def plain(value: Any) -> str:
    """Write a short number as it is, without a needless ".0": 2, 0.5."""
    return f"{float(value):.15g}"


def count(value: int) -> str:
    """Write a whole number with a comma at every thousand: 3,150,336."""
    return f"{int(value):,}"


def dims(kind: Any) -> str:
    """Write a type's shape by its dimension names, or what kind of Python value it is."""
    if kind.dims is None:
        return "whole number" if kind.dtype == "int" else kind.dtype
    return "(" + ", ".join(kind.dims) + ("," if len(kind.dims) == 1 else "") + ")"


def _literal(value: np.ndarray, indent: int) -> str:
    """An array's nested lists; beyond two rows, one row a line."""
    plain = repr(value.tolist())
    if len(plain) + indent <= 88 or value.ndim < 2:
        return plain
    separator = ",\n" + " " * (indent + 1)
    return "[" + separator.join(_literal(row, indent + 1) for row in value) + "]"


FILTERS: dict[str, Callable[..., str]] = {
    "fixed": fixed,
    "exact": exact,
    "vector": vector,
    "nested": nested,
    "table": table,
    "paste": paste,
    "paste_all": paste_all,
    "power_of_ten": power_of_ten,
    "scientific": scientific,
    "magnitude_below": magnitude_below,
    "magnitude_above": magnitude_above,
    "plain": plain,
    "count": count,
    "dims": dims,
}
"""The filters every template has, by name."""
