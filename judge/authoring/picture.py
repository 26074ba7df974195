"""A picture of a terminal as SVG: text with ANSI colours, to show what a report is like.

Run `judge run --color FILE | python -m judge.authoring.picture docs/report.svg`.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

_COLOURS = {
    "1": ("font-weight", "bold"),
    "2": ("fill", "#8b949e"),
    "31": ("fill", "#ff7b72"),
    "32": ("fill", "#7ee787"),
    "33": ("fill", "#e3b341"),
    "36": ("fill", "#79c0ff"),
}
_CODE = re.compile(r"\x1b\[([0-9;]*)m")
_COLUMN, _LINE, _MARGIN, _BAR = 7.85, 18, 16, 30


def terminal_picture(text: str, title: str) -> str:
    """Return an SVG picture of a terminal that shows a text.

    Args:
        text: lines, with the ANSI codes that reports use (ECMA-48, section 8.3.117).
        title: what stands in the window's bar and describes the picture to a screen reader.
    """
    lines = text.rstrip("\n").split("\n")
    columns = max(len(_CODE.sub("", line)) for line in lines)
    width = round(columns * _COLUMN) + 2 * _MARGIN
    height = len(lines) * _LINE + 2 * _MARGIN + _BAR
    rows = "\n".join(
        f'<text x="{_MARGIN}" y="{_BAR + _MARGIN + 12 + number * _LINE}">{_spans(line)}</text>'
        for number, line in enumerate(lines)
    )
    name = html.escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{name}">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        f'<text x="{_MARGIN}" y="20" fill="#8b949e" font-family="system-ui, sans-serif" '
        f'font-size="12">{name}</text>\n'
        '<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" '
        'font-size="13" fill="#e6edf3">\n'
        f"{rows}\n</g>\n</svg>\n"
    )


def _spans(line: str) -> str:
    """Return a line's parts as tspan elements, each with the colours in force there."""
    spans, style = [], ""
    parts = _CODE.split(line)
    for number, part in enumerate(parts):
        if number % 2:
            given = dict(_COLOURS[code] for code in part.split(";") if code in _COLOURS)
            style = "".join(f' {key}="{value}"' for key, value in given.items())
        elif part:
            # Browsers collapse spaces; not all of them know xml:space or white-space in SVG.
            text = html.escape(part, quote=False).replace(" ", "\N{NO-BREAK SPACE}")
            spans.append(f"<tspan{style}>{text}</tspan>" if style else text)
    return "".join(spans)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(
        terminal_picture(sys.stdin.read(), "judge run my_solution.py"), encoding="utf-8"
    )
