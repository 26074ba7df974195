"""The figures of the theory page, drawn from computed values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import costs, facts
from .lesson import positional_encoding
from .svg import Drawing
from .trace import Array

LENGTHS = tuple(2**power for power in range(6, 16))
"""Sequence lengths of the cost plot."""


def draw(values: dict[str, Any]) -> dict[str, str]:
    """Return every figure as SVG text, by file name without ending."""
    return {
        "block": block(),
        "post-pre": post_and_pre(),
        "positions": positions(),
        "heads": heads(values["lesson"]),
        "masks": masks(values["lesson"]),
        "activations": activations(),
        "cost": cost(),
    }


def block() -> str:
    """The block: two sub-layers, each with its residual sum and norm."""
    board = Drawing("fig-block", 380, 560)
    x, wide, left, skip = 225, 230, 110, 30
    board.text(x, 548, "x    (T × d_{model})")
    board.arrow([(x, 530), (x, 468)])
    board.box(left, 416, wide, 52, "attention", "Multi-head self-attention", "mixes positions")
    board.arrow([(x, 416), (x, 371)])
    board.plus(x, 360)
    board.arrow([(x, 500), (skip, 500), (skip, 360), (x - 11, 360)], skip=True)
    board.arrow([(x, 349), (x, 318)])
    board.box(left, 280, wide, 38, "norm", "LayerNorm_{1}")
    board.arrow([(x, 280), (x, 226)])
    board.text(x + 14, 265, "z", anchor="start")
    board.box(left, 174, wide, 52, "forward", "Feed-forward network", "each position by itself")
    board.arrow([(x, 174), (x, 129)])
    board.plus(x, 118)
    board.arrow([(x, 250), (skip, 250), (skip, 118), (x - 11, 118)], skip=True)
    board.arrow([(x, 107), (x, 76)])
    board.box(left, 38, wide, 38, "norm", "LayerNorm_{2}")
    board.arrow([(x, 38), (x, 14)])
    board.text(x + 14, 24, "y    (T × d_{model})", anchor="start")
    board.text(skip + 10, 446, "residual", anchor="start", kind="faint")
    board.text(skip + 10, 204, "residual", anchor="start", kind="faint")
    return board.svg()


def post_and_pre() -> str:
    """Post-norm beside pre-norm, one sub-layer after the other."""
    board = Drawing("fig-post-pre", 620, 520)
    _post(board, 165)
    _pre(board, 470)
    return board.svg()


def _post(board: Drawing, x: float) -> None:
    board.text(x, 24, "post-norm", kind="bold")
    board.text(x, 43, "norms on the main path", kind="faint")
    left, wide = x - 70, 140
    board.text(x, 508, "x")
    board.arrow([(x, 492), (x, 446)])
    board.box(left, 410, wide, 36, "attention", "attention")
    board.arrow([(x, 410), (x, 379)])
    board.plus(x, 368)
    board.arrow([(x, 470), (x - 110, 470), (x - 110, 368), (x - 11, 368)], skip=True)
    board.arrow([(x, 357), (x, 326)])
    board.box(left, 290, wide, 36, "norm", "LayerNorm_{1}")
    board.arrow([(x, 290), (x, 246)])
    board.box(left, 210, wide, 36, "forward", "feed-forward")
    board.arrow([(x, 210), (x, 179)])
    board.plus(x, 168)
    board.arrow([(x, 270), (x - 110, 270), (x - 110, 168), (x - 11, 168)], skip=True)
    board.arrow([(x, 157), (x, 126)])
    board.box(left, 90, wide, 36, "norm", "LayerNorm_{2}")
    board.arrow([(x, 90), (x, 58)])


def _pre(board: Drawing, x: float) -> None:
    board.text(x, 24, "pre-norm", kind="bold")
    board.text(x, 43, "a free path from x to the end", kind="faint")
    left, wide = x - 70, 140
    board.text(x, 508, "x")
    board.arrow([(x, 492), (x, 446)])
    board.box(left, 410, wide, 36, "norm", "LayerNorm_{1}")
    board.arrow([(x, 410), (x, 379)])
    board.box(left, 343, wide, 36, "attention", "attention")
    board.arrow([(x, 343), (x, 314)])
    board.plus(x, 303)
    board.arrow([(x, 470), (x - 110, 470), (x - 110, 303), (x - 11, 303)], skip=True)
    board.arrow([(x, 292), (x, 236)])
    board.box(left, 200, wide, 36, "norm", "LayerNorm_{2}")
    board.arrow([(x, 200), (x, 169)])
    board.box(left, 133, wide, 36, "forward", "feed-forward")
    board.arrow([(x, 133), (x, 104)])
    board.plus(x, 93)
    board.arrow([(x, 262), (x - 110, 262), (x - 110, 93), (x - 11, 93)], skip=True)
    board.arrow([(x, 82), (x, 58)])


def positions(length: int = 12, width: int = 16) -> str:
    """The sinusoids as a heat map: blue below zero, orange above."""
    size = 25.0
    board = Drawing("fig-positions", 70 + size * width + 10, 60 + size * length + 28)
    encoding = positional_encoding(length, width)
    board.text(70 + size * width / 2, 18, "feature", kind="faint")
    board.text(18, 50 + size * length / 2, "position", kind="faint", turn=-90)
    for column in range(width):
        board.text(70 + size * (column + 0.5), 40, str(column), kind="faint")
    for row in range(length):
        board.text(58, 50 + size * (row + 0.5) + 5, str(row), anchor="end", kind="faint")
        for column in range(width):
            value = encoding[row, column]
            color = "second" if value > 0 else "first"
            board.cell(70 + size * column, 50 + size * row, size, abs(value), "", color)
    board.text(
        70, 50 + size * length + 22, "blue −1 … 0, orange 0 … 1", anchor="start", kind="faint"
    )
    return board.svg()


def _map(
    board: Drawing, x: float, y: float, title: str, weights: Array, words: Sequence[str]
) -> None:
    size = 52.0
    board.text(x + 2 * size, y - 34, title, kind="bold")
    for index, word in enumerate(words):
        board.text(x + size * (index + 0.5), y - 10, word, kind="faint")
        board.text(x - 8, y + size * (index + 0.5) + 5, word, anchor="end", kind="faint")
    for row, line in enumerate(weights):
        for column, weight in enumerate(line):
            shown = "0" if weight == 0 else f"{weight:.2f}"
            board.cell(x + size * column, y + size * row, size, float(weight), shown)


def heads(lesson: dict[str, Any]) -> str:
    """The two heads' weights on the sentence, side by side."""
    board = Drawing("fig-heads", 600, 290)
    for head, x in ((0, 66.0), (1, 366.0)):
        _map(board, x, 66, f"head {head}", lesson["trace"].weights[head], lesson["words"])
    return board.svg()


def masks(lesson: dict[str, Any]) -> str:
    """Head 0 of the sentence without and with a causal mask; padding below, likewise."""
    board = Drawing("fig-masks", 600, 590)
    _map(board, 66, 66, "no mask", lesson["trace"].weights[0], lesson["words"])
    _map(board, 366, 66, "causal mask", lesson["causal"].weights[0], lesson["words"])
    short = [word.strip("[]") for word in lesson["short_words"]]
    _map(board, 66, 366, "padding, no mask", lesson["short_open"].weights[0], short)
    _map(board, 366, 366, "padding mask", lesson["short_padded"].weights[0], short)
    return board.svg()


def gelu(x: float) -> float:
    """Return x times the normal distribution's share below x (Hendrycks and Gimpel 2016)."""
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def activations() -> str:
    """ReLU and GELU between -3 and 3."""
    board = Drawing("fig-activations", 480, 300)

    def at(x: float, y: float) -> tuple[float, float]:
        return 60 + (x + 3) * 64, 250 - (y + 0.5) * 62

    for tick in range(-3, 4):
        board.line([at(tick, -0.5), at(tick, 3.2)], kind="grid")
        board.text(at(tick, 0)[0], 270, str(tick).replace("-", "−"), kind="faint")
    for tick in range(4):
        board.line([at(-3, tick), at(3, tick)], kind="grid")
        board.text(48, at(0, tick)[1] + 5, str(tick), anchor="end", kind="faint")
    grid = np.linspace(-3, 3, 121)
    board.line([at(x, gelu(x)) for x in grid], color="second")
    board.line([at(-3, 0), at(0, 0), at(3, 3)], color="first", dash="7 4")
    board.text(at(1.7, 0)[0], at(0, 2.35)[1], "ReLU", anchor="end")
    board.text(at(-1.0, 0)[0], at(0, -0.4)[1], "GELU")
    board.text(252, 292, "input", kind="faint")
    return board.svg()


def cost() -> str:
    """Multiplications of one block of the paper's sizes against the length, both logarithmic."""
    board = Drawing("fig-cost", 620, 400)
    model = facts.PAPER
    parts = [costs.multiplications(T, model.d_model, model.d_ff) for T in LENGTHS]
    low, high = 6, 13

    def at(T: float, amount: float) -> tuple[float, float]:
        share = math.log2(T / LENGTHS[0]) / math.log2(LENGTHS[-1] / LENGTHS[0])
        return 70 + share * 400, 340 - (math.log10(amount) - low) / (high - low) * 310

    for power in range(low, high + 1):
        board.line([at(LENGTHS[0], 10.0**power), at(LENGTHS[-1], 10.0**power)], kind="grid")
        board.text(
            60,
            at(LENGTHS[0], 10.0**power)[1] + 5,
            f"10{_superscript(power)}",
            anchor="end",
            kind="faint",
        )
    for T in LENGTHS[::2]:
        board.line([at(T, 10.0**low), at(T, 10.0**high)], kind="grid")
        board.text(at(T, 10.0**low)[0], 360, f"{T:,}", kind="faint")
    meeting = costs.crossing(model)
    board.line([at(meeting, 10.0**low), at(meeting, 10.0**high)], kind="skip", dash="3 5")
    board.text(at(meeting, 10.0**low)[0], 22, f"T = {meeting:,}", kind="faint")
    linear = [part["projections"] + part["feed_forward"] for part in parts]
    mixing = [part["mixing"] for part in parts]
    board.line(
        [at(T, amount) for T, amount in zip(LENGTHS, linear, strict=True)],
        color="first",
        dash="7 4",
    )
    board.line([at(T, amount) for T, amount in zip(LENGTHS, mixing, strict=True)], color="second")
    end = at(LENGTHS[-1], mixing[-1])
    board.text(end[0] + 8, end[1] - 1, "logits and", anchor="start")
    board.text(end[0] + 8, end[1] + 16, "blends: T²", anchor="start")
    end = at(LENGTHS[-1], linear[-1])
    board.text(end[0] + 8, end[1] + 4, "projections,", anchor="start")
    board.text(end[0] + 8, end[1] + 21, "feed-forward: T", anchor="start")
    board.text(270, 386, "length T", kind="faint")
    board.text(16, 185, "multiplications of one block", kind="faint", turn=-90)
    return board.svg()


def _superscript(power: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))
