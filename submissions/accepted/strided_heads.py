"""Heads as strided views of the projections, without reshape or transpose."""

import numpy as np
from numpy.lib.stride_tricks import as_strided


def heads_of(a, num_heads):
    b, t, d = a.shape
    sb, st, sd = a.strides
    return as_strided(a, (b, num_heads, t, d // num_heads), (sb, sd * (d // num_heads), st, sd))


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    projected = [np.ascontiguousarray(x @ W) for W in (W_q, W_k, W_v)]
    q, k, v = (heads_of(p, num_heads) for p in projected)
    logits = q @ k.mT if hasattr(k, "mT") else q @ k.swapaxes(-1, -2)
    logits /= np.sqrt(q.shape[-1])
    e = np.exp(logits - logits.max(-1, keepdims=True))
    joined = np.zeros(x.shape)
    heads_of(joined, num_heads)[...] = e / e.sum(-1, keepdims=True) @ v
    z = norm(x + joined @ W_o, gamma1, beta1)
    return norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)


def norm(a, gamma, beta):
    return gamma * (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-6) + beta
