"""Encoder blocks written otherwise: in fractions, and in float64 by every sane way to round."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

EPSILON = 1e-6
ROOT_DIGITS = 90


def uniform_block(
    x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads
) -> np.ndarray:
    """The block in fractions where all logits of a row are equal: W_q = 0, W_k = 0 or one position.

    The weights are then 1 / sequence, so that nothing but square roots is not rational; these are
    taken from whole numbers, to 90 digits.
    """
    assert x.shape[1] == 1 or not W_q.any() or not W_k.any()
    V_o = product(fractions(W_v), fractions(W_o))
    output = []
    for sequence in x:
        rows = fractions(sequence)
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        (attended,) = product([mean], V_o)
        output.append([])
        for row in rows:
            z = normalized([a + b for a, b in zip(row, attended, strict=True)], gamma1, beta1)
            (wide,) = product([z], fractions(W1))
            hidden = [max(a + Fraction(b), Fraction(0)) for a, b in zip(wide, b1, strict=True)]
            (narrow,) = product([hidden], fractions(W2))
            total = [a + f + Fraction(b) for a, f, b in zip(z, narrow, b2, strict=True)]
            output[-1].append([float(a) + 0.0 for a in normalized(total, gamma2, beta2)])
    return np.array(output)


def fractions(matrix: Any) -> list[list[Fraction]]:
    return [[Fraction(a) for a in row] for row in matrix.tolist()]


def product(left: list[list[Fraction]], right: list[list[Fraction]]) -> list[list[Fraction]]:
    columns = list(zip(*right, strict=True))
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns]
        for row in left
    ]


def normalized(row: list[Fraction], gamma: Any, beta: Any) -> list[Fraction]:
    mean = sum(row) / len(row)
    variance = sum((a - mean) ** 2 for a in row) / len(row)
    scale = 10**ROOT_DIGITS
    root = Fraction(math.isqrt(int((variance + Fraction(EPSILON)) * scale**2)), scale)
    result = [
        Fraction(g) * (a - mean) / root + Fraction(b)
        for a, g, b in zip(row, gamma, beta, strict=True)
    ]
    # Shorter fractions keep the second half fast; 60 digits remain.
    return [Fraction(round(a * 10**60), 10**60) for a in result]


def float_block(
    inputs: list[Any], *, one_pass: bool, folded: bool, softmax: str, order: np.random.Generator
) -> np.ndarray:
    """The block in float64; the order of every sum is drawn, the rest chosen by the arguments."""
    x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads = inputs
    d_k = x.shape[-1] // num_heads

    def matmul(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        count = left.shape[-1]
        places = order.permutation(count)
        return left[..., places] @ right[..., places, :]

    def layer_norm(rows: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
        mean = rows[..., order.permutation(rows.shape[-1])].mean(axis=-1, keepdims=True)
        if one_pass:
            variance = (rows * rows).mean(axis=-1, keepdims=True) - mean * mean
        else:
            variance = ((rows - mean) ** 2).mean(axis=-1, keepdims=True)
        factor = gamma / np.sqrt(variance + EPSILON)
        return rows * factor + (beta - mean * factor) if folded else (rows - mean) * factor + beta

    def heads(rows: np.ndarray) -> np.ndarray:
        return rows.reshape(*rows.shape[:2], num_heads, d_k).swapaxes(1, 2)

    Q, K, V = (heads(matmul(x, W)) for W in (W_q, W_k, W_v))
    logits = matmul(Q / np.sqrt(d_k), K.swapaxes(-1, -2))
    largest = logits.max(axis=-1, keepdims=True)
    if softmax == "log-sum-exp":
        total = np.log(np.exp(logits - largest).sum(axis=-1, keepdims=True))
        gathered = matmul(np.exp(logits - (largest + total)), V)
    else:
        weights = np.exp(logits - largest if softmax == "shifted" else logits)
        gathered = matmul(weights, V) / weights.sum(axis=-1, keepdims=True)
    merged = gathered.swapaxes(1, 2).reshape(x.shape)
    z = layer_norm(matmul(merged, W_o) + x, gamma1, beta1)
    hidden = np.maximum(matmul(z, W1) + b1, 0)
    return layer_norm(z + matmul(hidden, W2) + b2, gamma2, beta2)
