"""A class that keeps the parameters and has one method per step."""

import numpy as np


class EncoderBlock:
    eps = 1e-6

    def __init__(self, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
        self.W_q, self.W_k, self.W_v, self.W_o = W_q, W_k, W_v, W_o
        self.W1, self.b1, self.W2, self.b2 = W1, b1, W2, b2
        self.gamma1, self.beta1, self.gamma2, self.beta2 = gamma1, beta1, gamma2, beta2
        self.num_heads = num_heads
        self.d_k = W_q.shape[1] // num_heads

    def split(self, y):
        b, t, _ = y.shape
        return np.swapaxes(y.reshape(b, t, self.num_heads, self.d_k), 1, 2)

    def attention(self, x):
        q, k, v = self.split(x @ self.W_q), self.split(x @ self.W_k), self.split(x @ self.W_v)
        scores = np.matmul(q, np.swapaxes(k, -2, -1)) / self.d_k**0.5
        scores -= scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights /= weights.sum(axis=-1, keepdims=True)
        out = np.swapaxes(np.matmul(weights, v), 1, 2)
        return out.reshape(x.shape) @ self.W_o

    def norm(self, y, gamma, beta):
        mu = y.mean(-1, keepdims=True)
        return (y - mu) / np.sqrt(((y - mu) ** 2).mean(-1, keepdims=True) + self.eps) * gamma + beta

    def ffn(self, z):
        return np.maximum(0, z @ self.W1 + self.b1) @ self.W2 + self.b2

    def __call__(self, x):
        z = self.norm(x + self.attention(x), self.gamma1, self.beta1)
        return self.norm(z + self.ffn(z), self.gamma2, self.beta2)


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    block = EncoderBlock(W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads)
    return block(x)
