"""General code with switches that stay at their defaults: mask, dropout, pre-norm."""

import numpy as np


def attend(q, k, v, mask=None):
    scores = np.matmul(q, k.swapaxes(-1, -2)) / np.sqrt(k.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return np.matmul(weights, v), weights


def dropout(values, rate=0.0, rng=None):
    if rate == 0.0:
        return values
    rng = rng or np.random.default_rng()
    return values * (rng.random(values.shape) >= rate) / (1.0 - rate)


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads, mask=None, rate=0.0, eps=1e-6):
    n, s, d = x.shape
    q, k, v = (np.moveaxis((x @ w).reshape(n, s, num_heads, d // num_heads), 2, 1) for w in (W_q, W_k, W_v))
    context, _ = attend(q, k, v, mask)
    attended = np.moveaxis(context, 1, 2).reshape(n, s, d) @ W_o

    def add_and_norm(residual, update, gamma, beta):
        total = residual + dropout(update, rate)
        mean, var = total.mean(-1, keepdims=True), total.var(-1, keepdims=True)
        return gamma * (total - mean) / np.sqrt(var + eps) + beta

    z = add_and_norm(x, attended, gamma1, beta1)
    return add_and_norm(z, np.maximum(0, z @ W1 + b1) @ W2 + b2, gamma2, beta2)
