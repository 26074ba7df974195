"""Helpers with names that a harness might use itself: main, judge, check, test, result."""

import numpy as np

result = None


def check(a, gamma, beta):
    judge = a - a.mean(-1)[..., None]
    return judge / np.sqrt(np.square(judge).mean(-1)[..., None] + 1e-6) * gamma + beta


def test(a):
    powers = np.exp(a - a.max(-1)[..., None])
    return powers / powers.sum(-1)[..., None]


def main(a, W, num_heads):
    return np.stack(np.split(a @ W, num_heads, axis=-1))


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    input, output, type = (main(x, W, num_heads) for W in (W_q, W_k, W_v))
    expected = test(input @ output.swapaxes(-1, -2) / np.sqrt(input.shape[-1])) @ type
    answer = check(x + np.concatenate(list(expected), axis=-1) @ W_o, gamma1, beta1)
    return check(answer + np.clip(answer @ W1 + b1, 0, None) @ W2 + b2, gamma2, beta2)
