"""np.dot on 3-D arrays, one head after the other; slower than @ and as right."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    batch, sequence, d_model = x.shape
    d_k = d_model // num_heads
    Q, K, V = np.dot(x, W_q), np.dot(x, W_k), np.dot(x, W_v)
    heads = []
    for h in range(num_heads):
        columns = slice(h * d_k, (h + 1) * d_k)
        head = np.empty((batch, sequence, d_k))
        for b in range(batch):
            scores = np.dot(Q[b, :, columns], K[b, :, columns].T) / np.sqrt(d_k)
            powers = np.exp(scores - np.max(scores, axis=1).reshape(-1, 1))
            head[b] = np.dot(powers / np.sum(powers, axis=1).reshape(-1, 1), V[b, :, columns])
        heads.append(head)
    z = layer_norm(x + np.dot(np.concatenate(heads, axis=-1), W_o), gamma1, beta1)
    ffn = np.dot(np.where(np.dot(z, W1) + b1 > 0, np.dot(z, W1) + b1, 0.0), W2) + b2
    return layer_norm(z + ffn, gamma2, beta2)


def layer_norm(x, gamma, beta):
    mean = np.mean(x, axis=-1)[:, :, np.newaxis]
    std = np.sqrt(np.mean(np.square(x - mean), axis=-1)[:, :, np.newaxis] + 1e-6)
    return gamma * ((x - mean) / std) + beta
