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
    attended = attention(ops, x, W_q, W_k, W_v, W_o, num_heads)
    z = ops.layer_norm(ops.add(x, attended), gamma1, beta1, EPSILON)
    hidden = ops.relu(ops.add(ops.matmul(z, W1), b1))
    # z + FFN(z) as one sum of three terms, which programs add in either order.
    residual = ops.add(z, ops.matmul(hidden, W2), b2)
    return ops.layer_norm(residual, gamma2, beta2, EPSILON)


def attention(ops, x, W_q, W_k, W_v, W_o, num_heads):
    """MHA(x, x, x) = Concat(head_1, …, head_h) W_o, (batch, sequence, d_model)."""
    Q, K, V = (ops.matmul(x, W) for W in (W_q, W_k, W_v))
    d_k = ops.shape(x)[-1] // num_heads
    heads = [
        head(ops, *(columns(ops, projected, number * d_k, d_k) for projected in (Q, K, V)))
        for number in range(num_heads)
    ]
    return ops.matmul(ops.concatenate(heads, axis=-1), W_o)


def columns(ops, projected, first, count):
    """The part of a projection that belongs to one head: `count` columns from `first` on."""
    return ops.index(projected, (..., slice(first, first + count)))


def head(ops, Q, K, V):
    """softmax(Q K^T / sqrt(d_k)) V of one head, (batch, sequence, d_k)."""
    # Scaling Q rather than the product changes no value, and bounds the error of both ways.
    scaled = ops.divide(Q, ops.sqrt(ops.shape(Q)[-1]))
    weights = ops.softmax(ops.matmul(scaled, ops.transpose(K, (0, 2, 1))))
    return ops.matmul(weights, V)
