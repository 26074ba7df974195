"""Annotations, a dataclass and typing, as larger programs have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Affine(NamedTuple):
    gamma: np.ndarray
    beta: np.ndarray

    def normalize(self, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        return self.gamma * centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-6) + self.beta


@dataclass(frozen=True)
class Attention:
    W_q: np.ndarray
    W_k: np.ndarray
    W_v: np.ndarray
    W_o: np.ndarray
    num_heads: int

    def __call__(self, x: np.ndarray) -> np.ndarray:
        q, k, v = (
            np.moveaxis((x @ W).reshape(*x.shape[:2], self.num_heads, -1), 2, 1)
            for W in (self.W_q, self.W_k, self.W_v)
        )
        logits = q @ np.moveaxis(k, -1, -2) * q.shape[-1] ** -0.5
        powers = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
        heads = powers @ v / powers.sum(axis=-1, keepdims=True)
        return np.moveaxis(heads, 1, 2).reshape(x.shape) @ self.W_o


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    z = Affine(gamma1, beta1).normalize(x + Attention(W_q, W_k, W_v, W_o, num_heads)(x))
    return Affine(gamma2, beta2).normalize(z + (np.fmax(z @ W1 + b1, 0) @ W2 + b2))
