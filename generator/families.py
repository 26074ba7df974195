"""Families of inputs: each public function draws the inputs of one case from a stream.

A family takes a stream of numbers that are the same on every machine, the sizes of the case
(`batch`, `sequence`, `d_model`, `d_ff`, `num_heads`), and keyword options that `cases.yaml` may set
under `with`. It returns the inputs by parameter name, or raises ValueError with the reason why this
draw will not do.

All inputs are short decimals, drawn as whole numbers and divided once. Nothing here uses floating
point to decide anything: what must be computed is computed in whole numbers.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Sizes = dict[str, int]
Inputs = dict[str, Any]
Ends = tuple[float | str, float | str]


class Stream(Protocol):
    """Where the numbers come from: one stream for every case and attempt."""

    def integers(self, low: int, high: int, shape: Sequence[int]) -> NDArray[np.int64]:
        """Draw whole numbers from low to high, both included."""

    def decimals(
        self, low: float | str, high: float | str, shape: Sequence[int], places: int = 3
    ) -> NDArray[np.float64]:
        """Draw decimals from low to high, both included, with so many places."""


PROJECTIONS = ("W_q", "W_k", "W_v", "W_o")


def generic(
    draw: Stream,
    sizes: Sizes,
    *,
    x: float | str = 2,
    spread: float = 1,
    feed_forward: Ends | None = None,
    gamma: Ends = ("0.5", "1.5"),
    beta: Ends = ("-0.5", "0.5"),
    bias: Ends = ("-0.5", "0.5"),
    places: int = 3,
) -> Inputs:
    """Draw ordinary numbers: every parameter differs from its neutral value.

    Args:
        draw: the stream.
        sizes: the case's sizes.
        x: inputs lie between -x and x.
        spread: standard deviation of a weight, times the root of the width it is summed over.
        feed_forward: ends of the feed-forward weights, in place of `spread`.
        gamma: ends of both scales.
        beta: ends of both shifts.
        bias: ends of both feed-forward biases.
        places: decimal places of everything.
    """
    batch, sequence, d_model, d_ff = (
        sizes[name] for name in ("batch", "sequence", "d_model", "d_ff")
    )

    def weights(shape: tuple[int, int], ends: Ends | None = None) -> NDArray[np.float64]:
        low, high = ends or _ends(spread, shape[0], places)
        return draw.decimals(low, high, shape, places)

    inputs: Inputs = {"x": draw.decimals(f"-{x}", x, (batch, sequence, d_model), places)}
    for name in PROJECTIONS:
        inputs[name] = weights((d_model, d_model))
    inputs["W1"] = weights((d_model, d_ff), feed_forward)
    inputs["b1"] = draw.decimals(*bias, (d_ff,), places)
    inputs["W2"] = weights((d_ff, d_model), feed_forward)
    inputs["b2"] = draw.decimals(*bias, (d_model,), places)
    for number in "12":
        inputs[f"gamma{number}"] = draw.decimals(*gamma, (d_model,), places)
        inputs[f"beta{number}"] = draw.decimals(*beta, (d_model,), places)
    inputs["num_heads"] = sizes["num_heads"]
    return inputs


def zeroed(draw: Stream, sizes: Sizes, *, zero: Sequence[str], **options: Any) -> Inputs:
    """Draw ordinary numbers, and set whole parameters to zero: a sub-layer is switched off."""
    inputs = generic(draw, sizes, **options)
    for name in zero:
        inputs[name] = np.zeros_like(inputs[name])
    return inputs


def large_logits(
    draw: Stream,
    sizes: Sizes,
    *,
    least: int = 715,
    most: int = 900,
    query_key: Ends = ("-8", "8"),
    **options: Any,
) -> Inputs:
    """Draw query and key weights whose largest scaled logit lies between `least` and `most`.

    `exp` overflows in float64 above 709.78, so that a softmax without a shift gives NaN.
    """
    inputs = generic(draw, sizes, **options)
    for name in ("W_q", "W_k"):
        inputs[name] = draw.decimals(*query_key, inputs[name].shape, 3)
    values, unit = _integer_logits(inputs)
    # Whole numbers throughout: value * unit is q . k, and the logit is that over sqrt(d_k).
    d_k = sizes["d_model"] // sizes["num_heads"]
    highest = max(max(row) for row in values)
    if not (least * unit) ** 2 * d_k <= highest**2 <= (most * unit) ** 2 * d_k:
        shown = highest / (unit * math.sqrt(d_k))
        raise ValueError(f"the largest logit is {shown:.0f}, not between {least} and {most}")
    return inputs


def near_epsilon(
    draw: Stream,
    sizes: Sizes,
    *,
    x: str = "0.002",
    gamma1: Ends = ("0.0005", "0.0015"),
    **options: Any,
) -> Inputs:
    """Draw rows whose variance is about eps = 1e-6, with no offset, before both layer norms."""
    options.setdefault("beta", ("0", "0"))
    inputs = generic(draw, sizes, **{"places": 3, **options})
    inputs["x"] = draw.decimals(f"-{x}", x, inputs["x"].shape, 5)
    inputs["gamma1"] = draw.decimals(*gamma1, inputs["gamma1"].shape, 5)
    small = ("-0.001", "0.001")
    inputs["b1"] = draw.decimals(*small, inputs["b1"].shape, 5)
    inputs["b2"] = draw.decimals(*small, inputs["b2"].shape, 5)
    inputs["beta2"] = draw.decimals("-0.5", "0.5", inputs["beta2"].shape, 3)
    return inputs


def constant_rows(draw: Stream, sizes: Sizes, *, highest: int = 7, **options: Any) -> Inputs:
    """Draw positions whose features are all equal: variance zero, and attention that is silent.

    The constants are multiples of 1/1024 up to `highest`/1024, so that their sums are exact.
    """
    inputs = generic(draw, sizes, **options)
    constants = draw.integers(-highest, highest, (sizes["batch"], sizes["sequence"], 1)) / 1024
    inputs["x"] = np.repeat(constants, sizes["d_model"], axis=2) + 0.0
    inputs["W_v"] = np.zeros_like(inputs["W_v"])
    return inputs


def signed_gamma(draw: Stream, sizes: Sizes, **options: Any) -> Inputs:
    """Draw scales that are zero, negative and positive by turns."""
    inputs = generic(draw, sizes, **options)
    for name in ("gamma1", "gamma2"):
        sign = np.arange(sizes["d_model"]) % 3 - 1
        inputs[name] = inputs[name] * sign + 0.0
    return inputs


def repeated_tokens(draw: Stream, sizes: Sizes, **options: Any) -> Inputs:
    """Draw sequences whose first and last positions hold the same token."""
    inputs = generic(draw, sizes, **options)
    inputs["x"][:, -1] = inputs["x"][:, 0]
    return inputs


def clipped_hidden(
    draw: Stream, sizes: Sizes, *, bias: Ends = ("-9", "-6"), **options: Any
) -> Inputs:
    """Draw biases that keep every hidden unit below zero: only the second bias comes through."""
    inputs = generic(draw, sizes, **options)
    inputs["b1"] = draw.decimals(*bias, inputs["b1"].shape, 3)
    return inputs


def _ends(spread: float, width: int, places: int) -> Ends:
    """Return the ends of a uniform distribution of standard deviation spread / sqrt(width)."""
    unit = 10**places
    whole = math.isqrt(int(spread * 1000) ** 2 * 3 * unit * unit // (width * 10**6))
    text = f"{max(whole, 1) / unit:.{places}f}"
    return f"-{text}", text


def _integer_logits(inputs: Inputs) -> tuple[list[list[int]], int]:
    """Return q . k of every pair of positions and every head as whole numbers, and their unit."""
    unit = 1000
    whole = {
        name: np.rint(inputs[name] * unit).astype(np.int64).astype(object)
        for name in ("x", "W_q", "W_k")
    }
    num_heads = inputs["num_heads"]
    d_k = inputs["x"].shape[-1] // num_heads
    rows: list[list[int]] = []
    for sequence in whole["x"]:
        queries, keys = sequence.dot(whole["W_q"]), sequence.dot(whole["W_k"])
        for head in range(num_heads):
            columns = slice(head * d_k, (head + 1) * d_k)
            rows.extend(queries[:, columns].dot(keys[:, columns].T).tolist())
    return rows, unit**4
