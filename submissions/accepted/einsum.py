"""Every product is an einsum over named axes."""

import numpy as np


def encoder_block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    d_model = x.shape[-1]
    d_k = d_model // num_heads
    q, k, v = (
        np.einsum("btd,dhk->bthk", x, W.reshape(d_model, num_heads, d_k)) for W in (W_q, W_k, W_v)
    )
    logits = np.einsum("bihk,bjhk->bhij", q, k) / np.sqrt(d_k)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights = np.einsum("bhij,bhi->bhij", weights, 1 / weights.sum(axis=-1))
    attended = np.einsum("bhij,bjhk,hkd->bid", weights, v, W_o.reshape(num_heads, d_k, d_model))
    z = layer_norm(x + attended, gamma1, beta1)
    hidden = np.maximum(np.einsum("btd,df->btf", z, W1) + b1, 0)
    return layer_norm(z + np.einsum("btf,fd->btd", hidden, W2) + b2, gamma2, beta2)


def layer_norm(x, gamma, beta):
    centred = x - np.einsum("btd->bt", x)[..., None] / x.shape[-1]
    variance = np.einsum("btd,btd->bt", centred, centred) / x.shape[-1]
    return np.einsum("btd,bt,d->btd", centred, 1 / np.sqrt(variance + 1e-6), gamma) + beta
