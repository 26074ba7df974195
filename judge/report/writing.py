"""Numbers, sizes and foreign text as people can read them."""

from __future__ import annotations

import math
import re

from judge.verdicts import Number


def numbers(expected: Number, actual: Number) -> tuple[str, str]:
    """Write two numbers with the digits that it takes to see them differ, signs aligned."""
    first, second = float(expected), float(actual)
    off = abs(first - second)
    digits = 6
    if math.isfinite(off) and off > 0:
        scale = max(abs(first), abs(second))
        digits = min(17, max(6, math.ceil(math.log10(scale / off)) + 3))
    texts = [_signed(value, digits) for value in (first, second)]
    if not any(text.startswith("-") for text in texts):
        texts = [text.lstrip(" ") for text in texts]
    return texts[0], texts[1]


def _signed(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return f"{'' if value < 0 else ' '}{value}"
    text = _exponent(f"{value:.{digits}g}")
    return text if text.startswith("-") else f" {text}"


def brief(value: Number, digits: int = 2) -> str:
    """Write a size with few digits: 1.4, 0.00012, 5e11."""
    return _exponent(f"{float(value):.{digits}g}")


def _exponent(text: str) -> str:
    """Write exponents without + and leading zeros: 5e+09 as 5e9, 3e-07 as 3e-7."""
    mantissa, mark, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if mark else text


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it: 0.1 ms, 12 ms, 1.2 s."""
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def points(score: float) -> str:
    """Write a score with two digits; one that is not full is never shown as 1."""
    return f"{min(score, 0.99) if score < 1 else score:.2f}"


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Write a number with its noun: 1 case, 3 cases."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def place(index: list[int]) -> str:
    """Name an element of the result: "result[0, 3, 1]", or "result" for a scalar."""
    return f"result[{', '.join(map(str, index))}]" if index else "result"


_ODD = re.compile(r"[^ -~\n\t]")
_ODD_IN_LINE = re.compile(r"[^ -~]")


def visible(text: str) -> str:
    r"""Return foreign text with everything invisible but tabs and line ends written out, as \x1b.

    Control characters could move a terminal's cursor, bidirectional overrides reorder what is read
    (CVE-2021-42574), lone surrogates can't be encoded, and XML 1.0 (section 2.2) forbids most.
    """
    return _ODD.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    character = match[0]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible_line(text: str) -> str:
    """Return a line of foreign text with everything invisible written out, tabs included."""
    return _ODD_IN_LINE.sub(_written_out, text)


def one_line(text: str) -> str:
    """Return foreign text on one line, with everything invisible written out."""
    return visible_line(" ".join(text.split()))


def shortened(line: str, width: int) -> str:
    """Cut a line to a width, and show that it was cut."""
    return line if len(line) <= width else f"{line[: width - 1]}…"
