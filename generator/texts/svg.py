"""A small drawing board for the figures: boxes, arrows, words and plots as SVG text.

A figure carries its own colours for light and dark, and its own ground, so that it reads well as a
file on a code host and inside the page. Its style rules name its id and touch nothing else.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

INK = "ink"
FAINT = "faint"

_STYLE = """
#{id} {{ --ground: #ffffff; --ink: #1b1f24; --faint: #59626c; --line: #aab2bc; --grid: #e3e7eb;
  --attention: #dbe9fb; --forward: #dff3e4; --norm: #fdf0cf; --add: #ffffff; --first: #1f66b5;
  --second: #b4530a; --third: #6b7280; --mark: #7a1fa2; }}
@media screen and (prefers-color-scheme: dark) {{ #{id} {{
  --ground: #15181c; --ink: #e4e7eb; --faint: #a3adb8;
  --line: #5b6570; --grid: #2b3138; --attention: #1c3554; --forward: #1d3d27; --norm: #46391a;
  --add: #15181c; --first: #8ab8f5; --second: #f1a65f; --third: #9aa3ad; --mark: #e0a3ff; }} }}
#{id} text {{ font-family: system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  font-size: 14px; fill: var(--ink); }}
#{id} .faint {{ fill: var(--faint); font-size: 12.5px; }}
#{id} .bold {{ font-weight: 600; }}
#{id} .line {{ stroke: var(--line); fill: none; stroke-width: 1.5; }}
#{id} .grid {{ stroke: var(--grid); fill: none; stroke-width: 1; }}
#{id} .skip {{ stroke: var(--mark); fill: none; stroke-width: 2; }}
#{id} .head {{ fill: var(--line); }}
#{id} .skiphead {{ fill: var(--mark); }}
"""


def number(value: float) -> str:
    """Write a coordinate with at most two decimals, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Drawing:
    """An SVG being drawn.

    Args:
        name: the figure's id; its styles hang on it.
        width, height: in pixels.
    """

    def __init__(self, name: str, width: float, height: float) -> None:
        self.name = name
        self.width = width
        self.height = height
        self.parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "middle",
        kind: str = "",
        turn: float = 0,
    ) -> None:
        """Write words with their baseline at (x, y); `_{…}` makes a subscript."""
        turned = f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
        look = f' class="{kind}"' if kind else ""
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{look}{turned}>'
            f"{_with_subscripts(words)}</text>"
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        words: str = "",
        under: str = "",
    ) -> None:
        """Draw a rounded box with centred words, and a fainter line below them."""
        self.parts.append(
            f'<rect {_place(x, y, width, height)} rx="6" fill="var(--{fill})" '
            'stroke="var(--line)" stroke-width="1.2"/>'
        )
        middle = y + height / 2
        if under:
            self.text(x + width / 2, middle - 3, words)
            self.text(x + width / 2, middle + 15, under, kind="faint")
        elif words:
            self.text(x + width / 2, middle + 5, words)

    def plus(self, x: float, y: float) -> None:
        """Draw a circled plus: a residual sum."""
        self.parts.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="11" fill="var(--add)" '
            'stroke="var(--mark)" stroke-width="2"/>'
            f'<path class="skip" d="M{number(x - 6)} {number(y)}h12'
            f'M{number(x)} {number(y - 6)}v12"/>'
        )

    def arrow(self, points: Sequence[tuple[float, float]], *, skip: bool = False) -> None:
        """Draw a line through points with a head at its end; `skip` marks a residual path."""
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        kind, head = ("skip", "skiphead") if skip else ("line", "head")
        self.parts.append(f'<path class="{kind}" d="{path}"/>')
        (x0, y0), (x1, y1) = points[-2], points[-1]
        length = max(abs(x1 - x0), abs(y1 - y0)) or 1
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        tip = [
            (x1, y1),
            (x1 - 7 * dx - 4 * dy, y1 - 7 * dy + 4 * dx),
            (x1 - 7 * dx + 4 * dy, y1 - 7 * dy - 4 * dx),
        ]
        corners = " ".join(f"{number(x)},{number(y)}" for x, y in tip)
        self.parts.append(f'<polygon class="{head}" points="{corners}"/>')

    def line(
        self,
        points: Sequence[tuple[float, float]],
        *,
        kind: str = "line",
        color: str = "",
        dash: str = "",
    ) -> None:
        """Draw a line through points, in a style of its own colour where one is named."""
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        look = (
            f'fill="none" stroke="var(--{color})" stroke-width="2.2"'
            if color
            else f'class="{kind}"'
        )
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<path {look}{dashes} d="{path}"/>')

    def cell(
        self, x: float, y: float, size: float, share: float, words: str, color: str = "first"
    ) -> None:
        """Draw one cell of a heat map: the stronger the share (0 to 1), the fuller the colour."""
        self.parts.append(
            f'<rect {_place(x, y, size, size)} fill="var(--{color})" '
            f'fill-opacity="{number(0.05 + 0.6 * share)}" stroke="var(--grid)"/>'
        )
        self.text(x + size / 2, y + size / 2 + 5, words, kind="" if share else "faint")

    def svg(self) -> str:
        """Return the finished drawing."""
        style = _STYLE.format(id=self.name)
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        body = "\n".join(self.parts)
        return (
            f'<svg id="{self.name}" xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {number(self.width)} {number(self.height)}">\n<style>{style}</style>\n'
            f'<rect width="100%" height="100%" fill="var(--ground)"/>\n{body}\n</svg>\n'
        )


def _place(x: float, y: float, width: float, height: float) -> str:
    return f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'


def _with_subscripts(words: str) -> str:
    pieces = words.split("_{")
    text = html.escape(pieces[0], quote=False)
    for piece in pieces[1:]:
        low, _, rest = piece.partition("}")
        text += (
            f'<tspan dy="4" font-size="70%">{html.escape(low, quote=False)}</tspan>'
            f'<tspan dy="-4">{html.escape(rest, quote=False) or "&#8203;"}</tspan>'
        )
    return text
