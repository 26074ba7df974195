"""One key at a time with a running maximum, as flash attention does."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    b, t, d = x.shape
    n = d // num_heads
    q, k, v = ((x @ W).reshape(b, t, num_heads, n) for W in (W_q, W_k, W_v))
    top = np.full((b, t, num_heads, 1), -np.inf)
    total = np.zeros((b, t, num_heads, 1))
    mixed = np.zeros((b, t, num_heads, n))
    for j in range(t):
        s = (q * k[:, j : j + 1]).sum(-1, keepdims=True) / np.sqrt(n)
        new_top = np.maximum(top, s)
        shrink, weight = np.exp(top - new_top), np.exp(s - new_top)
        total = total * shrink + weight
        mixed = mixed * shrink + weight * v[:, j : j + 1]
        top = new_top
    r = x + (mixed / total).reshape(b, t, d) @ W_o
    z = gamma1 * (r - r.mean(-1, keepdims=True)) / np.sqrt(r.var(-1, keepdims=True) + 1e-6) + beta1
    u = z + np.maximum(z @ W1 + b1, 0) @ W2 + b2
    return gamma2 * (u - u.mean(-1, keepdims=True)) / np.sqrt(u.var(-1, keepdims=True) + 1e-6) + beta2
