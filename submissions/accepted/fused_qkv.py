"""One matrix product makes queries, keys and values together."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    batch, sequence, d_model = x.shape
    fused = x.reshape(-1, d_model) @ np.concatenate([W_q, W_k, W_v], axis=1)
    fused = fused.reshape(batch, sequence, 3, num_heads, d_model // num_heads)
    q, k, v = fused.transpose(2, 0, 3, 1, 4)
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / (d_model // num_heads) ** 0.5
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    merged = np.matmul(scores, v).transpose(0, 2, 1, 3).reshape(batch, sequence, d_model)

    def add_and_norm(a, b, gamma, beta):
        total = a + b
        deviation = np.sqrt(total.var(axis=-1, keepdims=True) + 1e-6)
        return (total - total.mean(axis=-1, keepdims=True)) / deviation * gamma + beta

    z = add_and_norm(x, merged @ W_o, gamma1, beta1)
    return add_and_norm(z, np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)
