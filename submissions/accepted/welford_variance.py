"""Mean and variance by Welford's recurrence over the features."""

import numpy as np


def welford(a):
    mean = np.zeros(a.shape[:-1])
    m2 = np.zeros(a.shape[:-1])
    for n in range(a.shape[-1]):
        delta = a[..., n] - mean
        mean += delta / (n + 1)
        m2 += delta * (a[..., n] - mean)
    return mean[..., None], (m2 / a.shape[-1])[..., None]


def norm(a, gamma, beta):
    mean, variance = welford(a)
    return gamma * (a - mean) / np.sqrt(variance + 1e-6) + beta


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    B, T, D = x.shape
    split = lambda m: (x @ m).reshape(B, T, num_heads, -1).transpose(0, 2, 1, 3)
    q, k, v = split(W_q), split(W_k), split(W_v)
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    o = e @ v / e.sum(-1, keepdims=True)
    z = norm(x + o.transpose(0, 2, 1, 3).reshape(B, T, D) @ W_o, gamma1, beta1)
    return norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)
