"""How large a block is and how much it computes, as formulas over its sizes."""

from __future__ import annotations

import math
from typing import Any

from .facts import Model


def parameters(model: Model) -> dict[str, int]:
    """Return the number of parameters of one block, by part."""
    d, wide = model.d_model, model.d_ff
    attention = 4 * d * d + (4 * d if model.attention_biases else 0)
    feed_forward = 2 * d * wide + wide + d
    norms = 4 * d
    return {
        "attention": attention,
        "feed_forward": feed_forward,
        "norms": norms,
        "block": attention + feed_forward + norms,
        "stack": model.layers * (attention + feed_forward + norms),
    }


def multiplications(T: int, d_model: int, d_ff: int) -> dict[str, int]:
    """Return the multiplications of one block on one sequence of T positions, by part.

    Softmax, norms and biases are left out: they grow with T * T or T * d_model without a factor.
    """
    projections = 4 * T * d_model**2
    mixing = 2 * T * T * d_model
    feed_forward = 2 * T * d_model * d_ff
    return {
        "projections": projections,
        "mixing": mixing,
        "feed_forward": feed_forward,
        "block": projections + mixing + feed_forward,
    }


def crossing(model: Model) -> int:
    """Return the length at which the logits and blends cost as much as everything else.

    2 T^2 d = 4 T d^2 + 2 T d d_ff gives T = 2 d + d_ff.
    """
    return 2 * model.d_model + model.d_ff


def one_wide_block(model: Model, T: int) -> dict[str, Any]:
    """Return the width of one block with about as many weights as the model's stack.

    With d_ff = 4 d_model a block has 12 d^2 weights, so that N blocks of width d weigh as much as
    one of width d * sqrt(N). `cost_share` compares their multiplications on T positions.
    """
    width = round(model.d_model * math.sqrt(model.layers))
    wide = multiplications(T, width, 4 * width)["block"]
    deep = model.layers * multiplications(T, model.d_model, 4 * model.d_model)["block"]
    return {
        "width": width,
        "weights": 12 * width**2,
        "deep_weights": model.layers * 12 * model.d_model**2,
        "cost_share": wide / deep,
    }
