"""Every intermediate result of one encoder block, for one sequence, with its parts in view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trace:
    """One sequence on its way through a block.

    Args:
        x: input, (T, d_model).
        attention_input: what the attention reads: x, or its norm under pre-norm; (T, d_model).
        Q, K, V: per head, (h, T, d_k).
        logits: scaled scores per head, the mask applied; (h, T, T).
        weights: attention weights per head, (h, T, T).
        context: weighted values per head, (h, T, d_k).
        merged: heads side by side, (T, d_model).
        attended: merged @ W_o, (T, d_model).
        residual1: x + attended.
        z: what the second half starts from, (T, d_model).
        feed_forward_input: what the feed-forward network reads, (T, d_model).
        widened: before the ReLU, (T, d_ff).
        hidden: after it, (T, d_ff).
        transformed: hidden @ W2 + b2, (T, d_model).
        residual2: z + transformed.
        y: output, (T, d_model).
    """

    x: Array
    attention_input: Array
    Q: Array
    K: Array
    V: Array
    logits: Array
    weights: Array
    context: Array
    merged: Array
    attended: Array
    residual1: Array
    z: Array
    feed_forward_input: Array
    widened: Array
    hidden: Array
    transformed: Array
    residual2: Array
    y: Array


def trace(
    reference: Any,
    inputs: Mapping[str, Any],
    *,
    sequence: int = 0,
    pre_norm: bool = False,
    blocked: NDArray[np.bool_] | None = None,
) -> Trace:
    """Run the reference's own functions step by step and keep what each gives.

    Args:
        reference: the module with `split_heads`, `softmax`, `layer_norm` and `merge_heads`.
        inputs: the block's arguments by name.
        sequence: which sequence of the batch.
        pre_norm: normalize before each sub-layer instead of after each sum.
        blocked: True where a query (row) must not see a key (column); (T, T).
    """
    x = inputs["x"][sequence : sequence + 1]
    scale1, shift1 = inputs["gamma1"], inputs["beta1"]
    scale2, shift2 = inputs["gamma2"], inputs["beta2"]
    heads = inputs["num_heads"]

    attention_input = reference.layer_norm(x, scale1, shift1) if pre_norm else x
    Q = reference.split_heads(attention_input @ inputs["W_q"], heads)
    K = reference.split_heads(attention_input @ inputs["W_k"], heads)
    V = reference.split_heads(attention_input @ inputs["W_v"], heads)
    logits = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(Q.shape[-1])
    if blocked is not None:
        logits = np.where(blocked, -np.inf, logits)
    weights = reference.softmax(logits)
    context = weights @ V
    merged = reference.merge_heads(context)
    attended = merged @ inputs["W_o"]

    residual1 = x + attended
    z = residual1 if pre_norm else reference.layer_norm(residual1, scale1, shift1)
    feed_forward_input = reference.layer_norm(z, scale2, shift2) if pre_norm else z
    widened = feed_forward_input @ inputs["W1"] + inputs["b1"]
    hidden = np.maximum(widened, 0.0)
    transformed = hidden @ inputs["W2"] + inputs["b2"]
    residual2 = z + transformed
    y = residual2 if pre_norm else reference.layer_norm(residual2, scale2, shift2)
    steps = (x, attention_input, Q, K, V, logits, weights, context, merged, attended, residual1)
    more = (z, feed_forward_input, widened, hidden, transformed, residual2, y)
    return Trace(*(step[0] for step in (*steps, *more)))
