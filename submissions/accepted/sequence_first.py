"""Works on (sequence, batch, d_model) inside, as torch.nn.MultiheadAttention does by default."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    t = np.transpose(x, (1, 0, 2))
    length, batch, width = t.shape
    per_head = width // num_heads

    def project(W):
        # (batch * heads, length, per_head)
        return (t @ W).reshape(length, batch * num_heads, per_head).transpose(1, 0, 2)

    q, k, v = project(W_q) / np.sqrt(per_head), project(W_k), project(W_v)
    w = np.matmul(q, k.transpose(0, 2, 1))
    w = np.exp(w - w.max(axis=2, keepdims=True))
    w = w / w.sum(axis=2, keepdims=True)
    a = np.matmul(w, v).transpose(1, 0, 2).reshape(length, batch, width) @ W_o

    def norm(u, g, b):
        return (u - u.mean(2, keepdims=True)) / np.sqrt(u.var(2, keepdims=True) + 1e-6) * g + b

    z = norm(t + a, gamma1, beta1)
    y = norm(z + np.maximum(z @ W1 + b1, 0) @ W2 + b2, gamma2, beta2)
    return np.transpose(y, (1, 0, 2))
