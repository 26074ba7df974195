"""All positions of the batch at once: block-diagonal masks for batch and heads, no 4-D arrays."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    B, T, D = x.shape
    rows = x.reshape(B * T, D)
    sequence = np.repeat(np.arange(B), T)
    foreign = sequence[:, None] != sequence[None, :]
    head = np.repeat(np.arange(num_heads), D // num_heads)
    Q, K, V = rows @ W_q, rows @ W_k, rows @ W_v
    context = np.zeros_like(rows)
    for h in range(num_heads):
        own = head == h
        logits = (Q * own) @ K.T / np.sqrt(D // num_heads)
        logits[foreign] = -np.inf
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        context += weights / weights.sum(axis=1, keepdims=True) @ (V * own)

    def norm(r, g, b):
        m = r.mean(axis=1, keepdims=True)
        return g * (r - m) / np.sqrt(r.var(axis=1, keepdims=True) + 1e-6) + b

    z = norm(rows + context @ W_o, gamma1, beta1)
    return norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2).reshape(B, T, D)
