"""The softmax through np.logaddexp.reduce: weights are exp(logits - log of their sum)."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    B, T, D = x.shape
    heads = (B, T, num_heads, D // num_heads)
    Q, K, V = (np.transpose((x @ W).reshape(heads), (0, 2, 1, 3)) for W in (W_q, W_k, W_v))
    logits = Q @ np.swapaxes(K, 2, 3) / np.sqrt(heads[3])
    weights = np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    z = ln(x + np.transpose(weights @ V, (0, 2, 1, 3)).reshape(B, T, D) @ W_o, gamma1, beta1)
    return ln(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)


def ln(a, gamma, beta):
    mean = np.average(a, axis=-1, keepdims=True)
    return gamma * np.divide(a - mean, np.sqrt(np.average((a - mean) ** 2, axis=-1, keepdims=True) + 1e-6)) + beta
