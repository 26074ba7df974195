"""np.split along the features, np.stack for the heads, np.hstack-like concatenation back."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    def heads(m):
        return np.stack(np.split(x @ m, num_heads, axis=-1))

    q, k, v = map(heads, (W_q, W_k, W_v))
    logits = q @ np.moveaxis(k, -1, -2) * (1.0 / np.sqrt(q.shape[-1]))
    e = np.exp(logits - np.amax(logits, axis=-1)[..., np.newaxis])
    context = (e / e.sum(-1)[..., np.newaxis]) @ v
    attended = np.concatenate(list(context), axis=-1) @ W_o

    def ln(a, g, b):
        a = a - a.mean(axis=2)[:, :, None]
        return a / np.sqrt((a * a).mean(axis=2)[:, :, None] + 1e-6) * g + b

    z = ln(x + attended, gamma1, beta1)
    return ln(z + (np.maximum(z @ W1 + b1, 0.0) @ W2 + b2), gamma2, beta2)
