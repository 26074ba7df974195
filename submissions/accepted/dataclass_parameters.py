"""Parameters in dataclasses, one small type per sub-layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LayerNorm:
    gamma: np.ndarray
    beta: np.ndarray
    eps: float = 1e-6

    def __call__(self, h: np.ndarray) -> np.ndarray:
        mu = np.mean(h, axis=-1, keepdims=True)
        sigma2 = np.var(h, axis=-1, keepdims=True)
        return (h - mu) * self.gamma / np.sqrt(sigma2 + self.eps) + self.beta


@dataclass(frozen=True)
class FeedForward:
    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray

    def __call__(self, h: np.ndarray) -> np.ndarray:
        return np.maximum(h @ self.W1 + self.b1, 0.0) @ self.W2 + self.b2


@dataclass(frozen=True)
class SelfAttention:
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    o: np.ndarray
    heads: int

    def __call__(self, h: np.ndarray) -> np.ndarray:
        *lead, d = h.shape

        def split(w: np.ndarray) -> np.ndarray:
            return np.rollaxis((h @ w).reshape(*lead, self.heads, d // self.heads), 2, 1)

        logits = split(self.q) @ split(self.k).swapaxes(-1, -2) / (d // self.heads) ** 0.5
        logits = logits - logits.max(axis=-1, keepdims=True)
        weights = np.exp(logits)
        weights = weights / weights.sum(axis=-1, keepdims=True)
        return np.rollaxis(weights @ split(self.v), 2, 1).reshape(h.shape) @ self.o


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    norm1, norm2 = LayerNorm(gamma1, beta1), LayerNorm(gamma2, beta2)
    attention, feed_forward = SelfAttention(W_q, W_k, W_v, W_o, num_heads), FeedForward(W1, b1, W2, b2)
    z = norm1(x + attention(x))
    return norm2(z + feed_forward(z))
