"""Tries: keep the first answer by the type of the input, and give it for all later ones.

Must happen: later cases have other inputs; the values are wrong (WA).
"""
import numpy as np

KEPT = {}


def right(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    def norm(a, gamma, beta):
        mean = a.mean(-1, keepdims=True)
        return gamma * (a - mean) / np.sqrt(a.var(-1, keepdims=True) + 1e-6) + beta

    batch, length, width = x.shape
    q, k, v = (
        (x @ w).reshape(batch, length, num_heads, -1).transpose(0, 2, 1, 3) for w in (W_q, W_k, W_v)
    )
    logits = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // num_heads)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    attended = (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ W_o
    z = norm(x + attended, gamma1, beta1)
    return norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)


def encoder_block(x, *rest):
    first = KEPT.setdefault(type(x), right(x, *rest))
    return np.resize(first, x.shape)
