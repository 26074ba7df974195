"""Arrays as pictures: small ones as coloured tables of numbers, larger ones as SVG heat maps.

Colours come from classes, so that a page's light and dark style sheets decide on them: `z` zero,
`p1`…`p6` above and `n1`…`n6` below it, `e0` within the tolerance, `e1`…`e6` beyond it, `x` not
finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judge.report.markup import Markup, element, join
from judge.report.writing import brief

VALUE_STEPS = 6
ERROR_STEPS = 6
DECADES_PER_STEP = 2
"""One step of the error scale is a factor of a hundred."""

_NOT_FINITE = 99
_TABLE_COLUMNS = 6
_TABLE_ELEMENTS = 36
_LARGEST_PANEL = 64
_MOST_PANELS = 16
_WIDEST_CELL, _NARROWEST_CELL, _PANEL_WIDTH = 18, 5, 320

Levels = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Picture:
    """One array to draw.

    Args:
        title: what it is: "expected", "W_q".
        values: the array as float64, of any shape; printed in tables.
        levels: the colour level of each element (`value_levels`, `error_levels`).
        signs: class prefixes for levels below, at and above zero.
        summary: what the picture shows, for those who do not see it.
        worst: flat position of an element to mark.
        digits: significant digits of the numbers in tables.
    """

    title: str
    values: Floats
    levels: Levels
    signs: tuple[str, str, str]
    summary: str
    worst: int | None = None
    digits: int = 6


def value_picture(
    title: str, values: np.ndarray, largest: float | None = None, digits: int = 6
) -> Picture:
    """Prepare an array of values: blue below zero, orange above.

    Args:
        title: what it is.
        values: the array.
        largest: the size that has the strongest colour, by default the array's own.
        digits: significant digits of the numbers in tables.
    """
    floats = np.asarray(values, dtype=np.float64)
    levels = value_levels(floats, _largest(floats) if largest is None else largest)
    summary = f"{title}: {_range(floats)}"
    return Picture(title, floats, levels, ("n", "z", "p"), summary, digits=digits)


def error_picture(title: str, difference: Floats, ratio: Floats) -> Picture:
    """Prepare differences, coloured by how many times the tolerance they are.

    Args:
        title: what it is.
        difference: actual - expected.
        ratio: |difference| over the tolerance of each element, of the same shape.
    """
    levels = error_levels(ratio)
    wrong = int(np.count_nonzero(levels))
    worst = int(np.argmax(np.where(np.isnan(ratio), np.inf, ratio))) if wrong else None
    summary = f"{title}: {wrong} of {ratio.size} elements are beyond the tolerance"
    if worst is not None:
        index = [int(i) for i in np.unravel_index(worst, ratio.shape)]
        times = brief(float(ratio.flat[worst]))
        summary += f"; the worst, at {index}, by {times} times"
    return Picture(title, difference, levels, ("x", "e0", "e"), summary, worst, digits=2)


def value_levels(values: Floats, largest: float) -> Levels:
    """Return levels from -6 to 6, linear in the value; 0 is zero alone."""
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    with np.errstate(all="ignore"):
        steps = np.ceil(np.abs(known) / (largest or 1.0) * VALUE_STEPS)
    # However small, what is not zero has a colour.
    levels = np.sign(known) * np.clip(steps, 1, VALUE_STEPS)
    return np.where(finite, levels.astype(np.int64), _NOT_FINITE)


def error_levels(ratio: Floats) -> Levels:
    """Return 0 within the tolerance, then a level for each factor of a hundred, up to 6."""
    finite = np.isfinite(ratio)
    with np.errstate(all="ignore"):
        decades = np.log10(np.where(finite, np.maximum(ratio, 1e-300), 1.0))
    steps = np.clip(np.ceil(decades / DECADES_PER_STEP), 0, ERROR_STEPS).astype(np.int64)
    return np.where(np.isnan(ratio), _NOT_FINITE, np.where(finite, steps, ERROR_STEPS))


def draw(picture: Picture) -> Markup:
    """Return an array as a figure: a table of coloured numbers if it is small, else heat maps."""
    small = picture.values.size <= _TABLE_ELEMENTS and _columns(picture.values) <= _TABLE_COLUMNS
    caption = element(
        "figcaption", picture.title, " ", element("small", _shape(picture.values)) or None
    )
    if picture.values.size == 0:
        return element("figure", caption, element("p", "no elements"))
    panels = list(_panels(picture))
    shown = panels[:_MOST_PANELS]
    body = [_table(panel, picture) if small else _svg(panel, picture) for panel in shown]
    if len(panels) > len(shown):
        body.append(element("p", f"… and {len(panels) - len(shown)} more like these"))
    return element("figure", caption, element("div", body, class_="panels"))


@dataclass(frozen=True, eq=False)
class _Panel:
    """A two-dimensional piece of an array: the last two axes at one position of the others."""

    label: str
    offset: int
    values: Floats
    levels: Levels


def _panels(picture: Picture) -> Iterator[_Panel]:
    values = picture.values
    rows = values.shape[-2] if values.ndim > 1 else 1
    columns = _columns(values)
    leading = values.shape[:-2] if values.ndim > 2 else ()
    flat_values = values.reshape(-1, rows, columns)
    flat_levels = picture.levels.reshape(-1, rows, columns)
    for number, index in enumerate(np.ndindex(*leading)):
        label = f"[{', '.join(map(str, index))}]" if index else ""
        offset = number * rows * columns
        yield _Panel(label, offset, flat_values[number], flat_levels[number])


def _columns(values: np.ndarray) -> int:
    return int(values.shape[-1]) if values.ndim else 1


def _class(level: int, signs: tuple[str, str, str]) -> str:
    below, zero, above = signs
    if level == _NOT_FINITE:
        return "x"
    if level == 0:
        return zero
    return f"{above}{level}" if level > 0 else f"{below}{-level}"


def _table(panel: _Panel, picture: Picture) -> Markup:
    columns = panel.values.shape[1]
    rows = []
    for r, (values, levels) in enumerate(zip(panel.values, panel.levels, strict=True)):
        cells = [
            element(
                "td",
                brief(float(value), picture.digits),
                class_=_class(int(level), picture.signs)
                + (" worst" if picture.worst == panel.offset + r * columns + c else ""),
            )
            for c, (value, level) in enumerate(zip(values, levels, strict=True))
        ]
        rows.append(element("tr", cells))
    caption = element("caption", panel.label) if panel.label else None
    return element(
        "table", caption, element("tbody", rows), data_offset=panel.offset, aria_label=picture.title
    )


def _svg(panel: _Panel, picture: Picture) -> Markup:
    """Draw one panel: a path of horizontal strokes for each colour."""
    block = max(-(-size // _LARGEST_PANEL) for size in panel.levels.shape)
    levels = _reduced(panel.levels, block) if block > 1 else panel.levels
    rows, columns = levels.shape
    paths = [
        element("path", class_=_class(level, picture.signs), d="".join(strokes))
        for level, strokes in sorted(_strokes(levels).items())
    ]
    worst = None
    if picture.worst is not None and 0 <= picture.worst - panel.offset < panel.levels.size:
        row, column = divmod(picture.worst - panel.offset, panel.levels.shape[1])
        worst = element(
            "rect", class_="worst", x=column // block, y=row // block, width=1, height=1
        )
    size = max(_NARROWEST_CELL, min(_WIDEST_CELL, _PANEL_WIDTH // columns))
    note = f"; each square stands for {block} by {block} elements" if block > 1 else ""
    label = f"{panel.label} " if panel.label else ""
    svg = element(
        "svg",
        element("g", paths, transform="translate(0 .5)"),
        worst,
        viewBox=f"0 0 {columns} {rows}",
        width=columns * size,
        height=rows * size,
        role="img",
        aria_label=f"{label}{picture.summary}{note}",
        data_offset=panel.offset,
        data_columns=columns if block == 1 else None,
    )
    return element(
        "div", element("small", panel.label) if panel.label else None, svg, class_="panel"
    )


def _strokes(levels: Levels) -> dict[int, list[str]]:
    """Return by level the path data of strokes over every run of it, from left to right."""
    strokes: dict[int, list[str]] = {}
    for number, row in enumerate(levels.tolist()):
        start = 0
        for end in range(1, len(row) + 1):
            if end == len(row) or row[end] != row[start]:
                strokes.setdefault(row[start], []).append(f"M{start} {number}h{end - start}")
                start = end
    return strokes


def _reduced(levels: Levels, block: int) -> Levels:
    """Let squares of elements be represented by their strongest level."""
    rows, columns = levels.shape
    padded = np.pad(levels, ((0, -rows % block), (0, -columns % block)))
    squares = padded.reshape(padded.shape[0] // block, block, padded.shape[1] // block, block)
    flat = squares.transpose(0, 2, 1, 3).reshape(*squares.shape[::2], block * block)
    strongest = np.argmax(np.abs(flat), axis=-1)[..., None]
    return np.take_along_axis(flat, strongest, axis=-1)[..., 0]


def _largest(values: Floats) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 1.0


def _range(values: Floats) -> str:
    finite = values[np.isfinite(values)]
    odd = values.size - finite.size
    text = f"from {brief(finite.min(), 4)} to {brief(finite.max(), 4)}" if finite.size else ""
    if odd:
        text = f"{text}{', ' if text else ''}{odd} of {values.size} not finite"
    return text


def _shape(values: np.ndarray) -> str:
    return str(tuple(values.shape)) if values.ndim else ""


def legend(kind: str) -> Markup:
    """Return the key to the colours of `kind`: "value" or "error"."""
    if kind == "value":
        squares = [f"n{i}" for i in range(VALUE_STEPS, 0, -1)] + ["z"]
        squares += [f"p{i}" for i in range(1, VALUE_STEPS + 1)]
        ends = ("below zero", "above zero")
    else:
        squares = [f"e{i}" for i in range(ERROR_STEPS + 1)]
        ends = ("within the tolerance", f"over 1e{DECADES_PER_STEP * (ERROR_STEPS - 1)} times it")
    strip = element("span", [element("i", class_=name) for name in squares], class_="strip")
    odd = join([element("i", class_="x"), " NaN or infinity"]) if kind == "value" else None
    return element("p", f"{ends[0]} ", strip, f" {ends[1]} ", odd, class_="legend")
