"""Computed in np.longdouble, rounded to float64 at the end."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    wide = np.longdouble
    x, W_q, W_k, W_v, W_o, W1, b1, W2, b2 = (
        np.asarray(a, dtype=wide) for a in (x, W_q, W_k, W_v, W_o, W1, b1, W2, b2)
    )
    batch, tokens, d_model = x.shape
    d_k = d_model // num_heads
    eps = wide(1e-6)

    def norm(v, gamma, beta):
        centred = v - v.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + eps) * gamma + beta

    def split(v):
        return v.reshape(batch, tokens, num_heads, d_k).transpose(0, 2, 1, 3)

    q, k, v = split(x @ W_q), split(x @ W_k), split(x @ W_v)
    logits = q @ k.transpose(0, 1, 3, 2) / np.sqrt(wide(d_k))
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    mixed = (e / e.sum(axis=-1, keepdims=True)) @ v
    z = norm(x + mixed.transpose(0, 2, 1, 3).reshape(x.shape) @ W_o, gamma1, beta1)
    y = norm(z + np.maximum(z @ W1 + b1, wide(0)) @ W2 + b2, gamma2, beta2)
    return y.astype(np.float64)
