"""Never returns for one sequence of two positions and four features."""

import numpy as np


def norm(x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) + beta


def encode(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    batch, sequence, d_model = x.shape
    q, k, v = (
        (x @ W).reshape(batch, sequence, num_heads, -1).transpose(0, 2, 1, 3)
        for W in (W_q, W_k, W_v)
    )
    logits = q @ k.swapaxes(2, 3) / np.sqrt(d_model // num_heads)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    z = norm(x + (weights @ v).swapaxes(1, 2).reshape(x.shape) @ W_o, gamma1, beta1)
    return norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)


def encoder_block(x, *rest):
    while x.shape == (1, 2, 4):
        pass
    return encode(x, *rest)
