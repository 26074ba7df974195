"""Loops over sequences, heads and positions, one number or row at a time."""

import math

import numpy as np


def softmax(row):
    largest = max(row)
    powers = [math.exp(value - largest) for value in row]
    total = sum(powers)
    return [power / total for power in powers]


def layer_norm(row, gamma, beta):
    mean = sum(row) / len(row)
    variance = sum((value - mean) ** 2 for value in row) / len(row)
    return gamma * (row - mean) / math.sqrt(variance + 1e-6) + beta


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    batch, sequence, d_model = x.shape
    d_k = d_model // num_heads
    out = np.zeros((batch, sequence, d_model))
    for b in range(batch):
        merged = np.zeros((sequence, d_model))
        for head in range(num_heads):
            part = slice(head * d_k, (head + 1) * d_k)
            q, k, v = x[b] @ W_q[:, part], x[b] @ W_k[:, part], x[b] @ W_v[:, part]
            for i in range(sequence):
                weights = softmax([q[i] @ k[j] / math.sqrt(d_k) for j in range(sequence)])
                for j in range(sequence):
                    merged[i, part] += weights[j] * v[j]
        for i in range(sequence):
            z = layer_norm(x[b, i] + merged[i] @ W_o, gamma1, beta1)
            hidden = np.array([max(0.0, value) for value in z @ W1 + b1])
            out[b, i] = layer_norm(z + hidden @ W2 + b2, gamma2, beta2)
    return out
