"""Converts and checks everything before it computes."""

import numpy as np


def _float(name, value, ndim):
    array = np.array(value, dtype=np.float64, copy=True)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, got {array.ndim}")
    return array


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    x = _float("x", x, 3)
    W_q, W_k, W_v, W_o = (_float("projection", W, 2) for W in (W_q, W_k, W_v, W_o))
    W1, W2 = _float("W1", W1, 2), _float("W2", W2, 2)
    b1, b2 = _float("b1", b1, 1), _float("b2", b2, 1)
    gamma1, beta1, gamma2, beta2 = (_float("norm", g, 1) for g in (gamma1, beta1, gamma2, beta2))
    num_heads = int(num_heads)
    batch_size, seq_len, d_model = x.shape
    assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
    assert W1.shape == (d_model, b1.size)
    assert W2.shape == (b1.size, d_model)
    d_k = d_model // num_heads

    Q = np.transpose(np.reshape(np.matmul(x, W_q), (batch_size, seq_len, num_heads, d_k)), (0, 2, 1, 3))
    K = np.transpose(np.reshape(np.matmul(x, W_k), (batch_size, seq_len, num_heads, d_k)), (0, 2, 1, 3))
    V = np.transpose(np.reshape(np.matmul(x, W_v), (batch_size, seq_len, num_heads, d_k)), (0, 2, 1, 3))
    scores = np.divide(np.matmul(Q, np.transpose(K, (0, 1, 3, 2))), np.sqrt(float(d_k)))
    shifted = np.subtract(scores, np.max(scores, axis=-1, keepdims=True))
    weights = np.divide(np.exp(shifted), np.sum(np.exp(shifted), axis=-1, keepdims=True))
    assert np.allclose(weights.sum(axis=-1), 1.0)
    context = np.reshape(np.transpose(np.matmul(weights, V), (0, 2, 1, 3)), (batch_size, seq_len, d_model))
    out1 = np.add(x, np.matmul(context, W_o))
    z = gamma1 * (out1 - np.mean(out1, axis=-1, keepdims=True)) / np.sqrt(np.var(out1, axis=-1, keepdims=True) + 1e-6) + beta1
    out2 = np.add(z, np.add(np.matmul(np.maximum(np.add(np.matmul(z, W1), b1), 0.0), W2), b2))
    y = gamma2 * (out2 - np.mean(out2, axis=-1, keepdims=True)) / np.sqrt(np.var(out2, axis=-1, keepdims=True) + 1e-6) + beta2
    assert y.shape == x.shape
    return y
