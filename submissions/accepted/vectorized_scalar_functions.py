"""Scalar functions from math, spread over arrays with np.vectorize."""

import math

import numpy as np

relu = np.vectorize(lambda v: v if v > 0 else 0.0, otypes=[float])
exp = np.vectorize(math.exp, otypes=[float])
sqrt = np.vectorize(math.sqrt, otypes=[float])


def layer_norm(a, gamma, beta):
    centred = a - a.mean(axis=-1, keepdims=True)
    return gamma * centred / sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-6) + beta


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    batch, length, d_model = x.shape
    d_k = d_model // num_heads
    shape = (batch, length, num_heads, d_k)
    q = (x @ W_q).reshape(shape).transpose(0, 2, 1, 3)
    k = (x @ W_k).reshape(shape).transpose(0, 2, 3, 1)
    v = (x @ W_v).reshape(shape).transpose(0, 2, 1, 3)
    scores = q @ k / math.sqrt(d_k)
    e = exp(scores - scores.max(axis=-1, keepdims=True))
    out = (e / e.sum(axis=-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
    z = layer_norm(x + out @ W_o, gamma1, beta1)
    return layer_norm(z + relu(z @ W1 + b1) @ W2 + b2, gamma2, beta2)
