"""Functions that make functions, composed with functools.reduce."""

from functools import partial, reduce

import numpy as np


def compose(*steps):
    return lambda value: reduce(lambda acc, step: step(acc), steps, value)


def residual(sublayer):
    return lambda value: value + sublayer(value)


def normalize(gamma, beta, value):
    centred = value - value.mean(-1, keepdims=True)
    return np.add(np.multiply(gamma, centred / np.sqrt(np.mean(centred**2, -1, keepdims=True) + 1e-6)), beta)


def attention(Wq, Wk, Wv, Wo, heads, value):
    def head(qkv):
        q, k, v = qkv
        logits = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        unnormalized = np.exp(logits - logits.max(-1, keepdims=True))
        return unnormalized / unnormalized.sum(-1, keepdims=True) @ v

    pieces = zip(*(np.array_split(value @ W, heads, axis=-1) for W in (Wq, Wk, Wv)))
    return np.concatenate([*map(head, pieces)], axis=-1) @ Wo


def feed_forward(W1, b1, W2, b2, value):
    return np.fmax(value @ W1 + b1, 0) @ W2 + b2


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    return compose(
        residual(partial(attention, W_q, W_k, W_v, W_o, num_heads)),
        partial(normalize, gamma1, beta1),
        residual(partial(feed_forward, W1, b1, W2, b2)),
        partial(normalize, gamma2, beta2),
    )(x)
