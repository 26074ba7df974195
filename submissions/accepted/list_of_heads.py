"""One slice of the projections per head, collected in a list and concatenated."""

import numpy as np


def softmax(z):
    z = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return z / np.sum(z, axis=-1, keepdims=True)


def norm(v, g, b, eps=1e-6):
    return g * ((v - np.mean(v, -1, keepdims=True)) / np.sqrt(np.var(v, -1, keepdims=True) + eps)) + b


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    d_k = x.shape[2] // num_heads
    heads = []
    for h in range(num_heads):
        cols = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = x @ W_q[:, cols], x @ W_k[:, cols], x @ W_v[:, cols]
        heads.append(softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(d_k)) @ V)
    z = norm(x + np.concatenate(heads, axis=2) @ W_o, gamma1, beta1)
    return norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)
