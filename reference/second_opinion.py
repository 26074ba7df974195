"""The encoder block once more, number by number: what checks the exact reference.

Written from the statement alone, in plain loops over an mpmath context `mp`. It imports nothing,
shares no line with `exact.py` and `encoder_block.py`, and is slow.
"""

EPSILON = 1e-6


def encoder_block(
    mp, x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads
):
    """Return the output as nested lists, from nested lists of mpmath numbers."""
    return [
        encode(
            mp, rows, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads
        )
        for rows in x
    ]


def encode(mp, rows, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads):
    """Encode one sequence, a list of rows of d_model numbers."""
    queries = [times(mp, row, W_q) for row in rows]
    keys = [times(mp, row, W_k) for row in rows]
    values = [times(mp, row, W_v) for row in rows]
    output = []
    for row, query in zip(rows, queries, strict=True):
        attended = times(mp, attend(mp, query, keys, values, num_heads), W_o)
        z = normalize(mp, [a + b for a, b in zip(row, attended, strict=True)], gamma1, beta1)
        hidden = [a + b for a, b in zip(times(mp, z, W1), b1, strict=True)]
        hidden = [a if a > 0 else mp.zero for a in hidden]
        narrow = [a + b for a, b in zip(times(mp, hidden, W2), b2, strict=True)]
        output.append(normalize(mp, [a + b for a, b in zip(z, narrow, strict=True)], gamma2, beta2))
    return output


def attend(mp, query, keys, values, num_heads):
    """Return what one position gathers from all positions, the heads side by side."""
    gathered = []
    d_k = len(query) // num_heads
    for start in range(0, len(query), d_k):
        head = slice(start, start + d_k)
        logits = [mp.fdot(query[head], key[head]) / mp.sqrt(d_k) for key in keys]
        largest = max(logits)
        exponentials = [mp.exp(logit - largest) for logit in logits]
        total = mp.fsum(exponentials)
        for column in range(start, start + d_k):
            weighted = mp.fdot(exponentials, [value[column] for value in values])
            gathered.append(weighted / total)
    return gathered


def times(mp, row, matrix):
    """Return a row times a matrix."""
    return [mp.fdot(row, column) for column in zip(*matrix, strict=True)]


def normalize(mp, row, gamma, beta):
    """Layer normalization of one position."""
    size = len(row)
    mean = mp.fsum(row) / size
    variance = mp.fsum((a - mean) ** 2 for a in row) / size
    deviation = mp.sqrt(variance + mp.mpf(EPSILON))
    return [g * (a - mean) / deviation + b for a, g, b in zip(row, gamma, beta, strict=True)]
