"""The encoder block's formulas over an arithmetic `ops`, which gives them their meaning.

Over balls they prove the expected outputs, over errors they bound what float64 may be off by.
"Attention Is All You Need" (Vaswani et al., 2017), sections 3.1 to 3.3. `ops` offers the operations
of `judge.authoring.arithmetic.interface`; nothing is imported here.
"""

EPSILON = 1e-6  # the float64 nearest to it, which is what every submission adds


def encoder_block(
    ops, x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads
):
    """LayerNorm(z + FFN(z)) with z = LayerNorm(x + MHA(x, x, x)); shapes as in the statement."""
    z = ops.layer_norm(
        ops.add(x, attention(ops, x, W_q, W_k, W_v, W_o, num_heads)), gamma1, beta1, EPSILON
    )
    return ops.layer_norm(ops.add(z, feed_forward(ops, z, W1, b1, W2, b2)), gamma2, beta2, EPSILON)


def attention(ops, x, W_q, W_k, W_v, W_o, num_heads):
    """MHA(x, x, x) = Concat(head_1, …, head_h) W_o, (batch, sequence, d_model)."""
    d_k = ops.shape(x)[-1] // num_heads
    heads = [
        head(ops, x, *(columns(ops, W, number * d_k, d_k) for W in (W_q, W_k, W_v)))
        for number in range(num_heads)
    ]
    return ops.matmul(ops.concatenate(heads, axis=-1), W_o)


def columns(ops, W, first, count):
    """The part of a projection that makes one head: `count` columns from number `first` on."""
    return ops.index(W, (slice(None), slice(first, first + count)))


def head(ops, x, W_q, W_k, W_v):
    """softmax(Q K^T / sqrt(d_k)) V of one head, (batch, sequence, d_k)."""
    Q, K, V = (ops.matmul(x, W) for W in (W_q, W_k, W_v))
    d_k = ops.shape(Q)[-1]
    logits = ops.divide(ops.matmul(Q, ops.transpose(K, (0, 2, 1))), ops.sqrt(d_k))
    return ops.matmul(ops.softmax(logits), V)


def feed_forward(ops, z, W1, b1, W2, b2):
    """FFN(z) = ReLU(z W1 + b1) W2 + b2, the same at every position."""
    hidden = ops.relu(ops.add(ops.matmul(z, W1), b1))
    return ops.add(ops.matmul(hidden, W2), b2)
