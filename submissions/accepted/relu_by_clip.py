"""np.clip as ReLU, np.std squared as variance."""

import numpy as np


def layer_norm(values, scale, shift):
    mean = np.mean(values, axis=-1, keepdims=True)
    std = np.std(values, axis=-1, keepdims=True, ddof=0)
    return scale * (values - mean) / np.sqrt(std**2 + 1e-6) + shift


def attention(x, W_q, W_k, W_v, W_o, num_heads):
    batch, seq, d_model = x.shape
    d_head = d_model // num_heads
    out = np.empty_like(x)
    for i in range(batch):
        Q = (x[i] @ W_q).reshape(seq, num_heads, d_head)
        K = (x[i] @ W_k).reshape(seq, num_heads, d_head)
        V = (x[i] @ W_v).reshape(seq, num_heads, d_head)
        for h in range(num_heads):
            s = Q[:, h].dot(K[:, h].T) / np.sqrt(d_head)
            e = np.exp(s - s.max(axis=1).reshape(-1, 1))
            out[i, :, h * d_head : (h + 1) * d_head] = (e / e.sum(axis=1).reshape(-1, 1)).dot(V[:, h])
    return out.dot(W_o)


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    z = layer_norm(x + attention(x, W_q, W_k, W_v, W_o, num_heads), gamma1, beta1)
    ffn = np.clip(z.dot(W1) + b1, 0, None).dot(W2) + b2
    return layer_norm(z + ffn, gamma2, beta2)
