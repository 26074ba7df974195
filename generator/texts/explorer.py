"""The explorer's place on the page: its data, and the tables that stand there without scripts."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .trace import Array, trace

FOLDER = Path(__file__).parents[1] / "explorer"
LINK = "#explorer?case={name}&step=Q"

DIGITS = 4
"""Decimals of the tables without scripts."""

SHOWN = (
    ("merged", "heads side by side"),
    ("attended", "after W_o"),
    ("residual1", "x + attention"),
    ("z", "z"),
    ("hidden", "hidden units"),
    ("transformed", "feed-forward output"),
    ("residual2", "z + feed-forward"),
    ("y", "y"),
)


def values(material: Any, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return the explorer's data: the samples, the last first, then the cases of its own.

    Args:
        material: the bundle's samples and reference.
        titles: a title for each sample, by name.
    """
    own = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))["cases"]
    reference = material.reference
    samples = [
        {
            "name": sample.name,
            "title": titles[sample.name].capitalize(),
            "input": {name: _plain(value) for name, value in sample.inputs.items()},
            "expected": sample.expected.tolist(),
        }
        for sample in (material.samples[-1], *material.samples[:-1])
    ]
    return {
        "data": {
            "cases": [
                *samples,
                *({**case, "expected": _expected(reference, case)} for case in own),
            ],
            "texts": json.loads((FOLDER / "texts.json").read_text(encoding="utf-8")),
        },
        "samples": [
            (titles[sample.name], sample.name, trace(reference, sample.inputs))
            for sample in material.samples
        ],
        "worked": material.samples[-1].name,
    }


def inserts(computed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the explorer, and the line by which the theory page leads to it."""
    tables = "".join(_sample_tables(title, steps) for title, _, steps in computed["samples"])
    link = html.escape(LINK.format(name=computed["worked"]), quote=True)
    return {
        "explorer": {
            "id": "explorer",
            "title": "Explorer",
            "html": '<section id="explorer" aria-labelledby="explorer-title">\n'
            '<h2 id="explorer-title" class="h2">Explorer</h2>\n'
            "<p>Where scripts run, you can step through a block here and change its input. The "
            f"tables below show the same steps, rounded to {DIGITS} decimals.</p>\n"
            f"{tables}</section>\n",
            "data_id": "explorer-data",
            "data": computed["data"],
            "script": "explorer/explorer.js",
            "style": "explorer/explorer.css",
        },
        "explorer-link": f'<p><a href="{link}">Step through this example in the explorer</a>, and '
        "change its input.</p>\n",
    }


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _expected(reference: Any, case: Mapping[str, Any]) -> Any:
    inputs = {
        name: value if isinstance(value, int) else np.array(value, dtype=np.float64)
        for name, value in case["input"].items()
    }
    return reference.encoder_block(**inputs).tolist()


def _sample_tables(title: str, steps: Any) -> str:
    """Return one folded part with every step of a sample as a table."""
    parts = [_table("x", steps.x)]
    parts += [
        _table(f"head {head}: {name}", getattr(steps, name)[head])
        for head in range(len(steps.weights))
        for name in ("Q", "K", "V", "logits", "weights", "context")
    ]
    parts += [_table(words, getattr(steps, name)) for name, words in SHOWN]
    return (
        f"<details>\n<summary>{html.escape(title.capitalize())}: every step</summary>\n"
        f"{''.join(parts)}</details>\n"
    )


def _table(title: str, rows: Array) -> str:
    head = "".join(f'<th scope="col">{column}</th>' for column in range(rows.shape[1]))
    body = "".join(_row(index, row) for index, row in enumerate(rows))
    caption = f"<caption>{html.escape(title)}</caption>"
    return (
        f'<div class="table" role="group" aria-label="{html.escape(title)}"><table>'
        f"{caption}<thead><tr><td></td>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n"
    )


def _row(index: int, row: Sequence[float] | Array) -> str:
    cells = "".join(f"<td>{_rounded(value)}</td>" for value in row)
    return f'<tr><th scope="row">token {index}</th>{cells}</tr>'


def _rounded(value: float) -> str:
    text = f"{value:.{DIGITS}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")
