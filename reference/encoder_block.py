"""One post-norm Transformer encoder block in NumPy, a page to learn from.

Vaswani et al., "Attention Is All You Need" (2017): section 3.1 (the block), 3.2 (attention), 3.3
(the feed-forward network); Ba, Kiros and Hinton, "Layer Normalization" (2016).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EPSILON = 1e-6


def softmax(logits: Array) -> Array:
    """Turn each row of logits (last axis) into weights that are positive and sum to 1.

    Subtracting the row's largest logit changes nothing in exact arithmetic, and keeps `exp` from
    overflowing.
    """
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """Normalize each position over its features (last axis), then scale and shift."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + EPSILON) + beta


def split_heads(x: Array, num_heads: int) -> Array:
    """(batch, sequence, d_model) to (batch, num_heads, sequence, d_k)."""
    batch, sequence, d_model = x.shape
    return x.reshape(batch, sequence, num_heads, d_model // num_heads).transpose(0, 2, 1, 3)


def merge_heads(heads: Array) -> Array:
    """(batch, num_heads, sequence, d_k) back to (batch, sequence, d_model)."""
    batch, num_heads, sequence, d_k = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, sequence, num_heads * d_k)


def multi_head_attention(
    x: Array,
    W_q: Array,
    W_k: Array,
    W_v: Array,
    W_o: Array,
    num_heads: int,
) -> Array:
    """Let every position gather from all positions, once per head, and mix the heads with W_o."""
    Q = split_heads(x @ W_q, num_heads)
    K = split_heads(x @ W_k, num_heads)
    V = split_heads(x @ W_v, num_heads)
    d_k = Q.shape[-1]
    logits = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(d_k)
    weights = softmax(logits)
    return merge_heads(weights @ V) @ W_o


def feed_forward(x: Array, W1: Array, b1: Array, W2: Array, b2: Array) -> Array:
    """Widen every position to d_ff, clip at zero, and narrow it back to d_model."""
    hidden = np.maximum(x @ W1 + b1, 0.0)
    return hidden @ W2 + b2


def encoder_block(
    x: Array,
    W_q: Array,
    W_k: Array,
    W_v: Array,
    W_o: Array,
    W1: Array,
    b1: Array,
    W2: Array,
    b2: Array,
    gamma1: Array,
    beta1: Array,
    gamma2: Array,
    beta2: Array,
    num_heads: int,
) -> Array:
    """Return the post-norm encoder states, an array of x's shape (batch, sequence, d_model)."""
    attended = multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads)
    z = layer_norm(x + attended, gamma1, beta1)
    transformed = feed_forward(z, W1, b1, W2, b2)
    return layer_norm(z + transformed, gamma2, beta2)
