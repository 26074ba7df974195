"""Row functions written for one vector and applied with np.apply_along_axis."""

import numpy as np


def softmax_row(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def standardize_row(row):
    return (row - row.mean()) / np.sqrt(row.var() + 1e-6)


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    batch, tokens, width = x.shape
    d_k = width // num_heads

    def split(y):
        return y.reshape(batch, tokens, num_heads, d_k).transpose(0, 2, 1, 3)

    q, k, v = split(x @ W_q), split(x @ W_k), split(x @ W_v)
    weights = np.apply_along_axis(softmax_row, -1, q @ k.transpose(0, 1, 3, 2) / np.sqrt(d_k))
    merged = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, tokens, width)
    z = np.apply_along_axis(standardize_row, 2, x + merged @ W_o) * gamma1 + beta1
    ff = np.maximum(z @ W1 + b1, 0) @ W2 + b2
    return np.apply_along_axis(standardize_row, 2, z + ff) * gamma2 + beta2
