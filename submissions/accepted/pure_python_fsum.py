"""Nested lists, sum and math.fsum; NumPy only at both ends."""

from math import exp, fsum, sqrt
from operator import mul

import numpy as np


def matmul(A, B):
    columns = list(zip(*B))
    return [[sum(map(mul, row, column)) for column in columns] for row in A]


def add(A, B):
    return [[p + q for p, q in zip(r, s)] for r, s in zip(A, B)]


def softmax(row):
    top = max(row)
    e = [exp(v - top) for v in row]
    total = fsum(e)
    return [v / total for v in e]


def layer_norm(A, gamma, beta):
    result = []
    for row in A:
        mean = fsum(row) / len(row)
        variance = fsum((v - mean) ** 2 for v in row) / len(row)
        root = sqrt(variance + 1e-6)
        result.append([g * (v - mean) / root + b for v, g, b in zip(row, gamma, beta)])
    return result


def one_sequence(X, Wq, Wk, Wv, Wo, W1, b1, W2, b2, g1, e1, g2, e2, heads):
    Q, K, V = matmul(X, Wq), matmul(X, Wk), matmul(X, Wv)
    width = len(X[0]) // heads
    merged = [[] for _ in X]
    for h in range(heads):
        cut = slice(h * width, (h + 1) * width)
        values = [v[cut] for v in V]
        for position, q in enumerate(Q):
            logits = [fsum(map(mul, q[cut], k[cut])) / sqrt(width) for k in K]
            merged[position] += matmul([softmax(logits)], values)[0]
    Z = layer_norm(add(X, matmul(merged, Wo)), g1, e1)
    hidden = [[max(v + b, 0.0) for v, b in zip(row, b1)] for row in matmul(Z, W1)]
    transformed = [[v + b for v, b in zip(row, b2)] for row in matmul(hidden, W2)]
    return layer_norm(add(Z, transformed), g2, e2)


def encoder_block(x, *parameters):
    *arrays, heads = parameters
    lists = [a.tolist() for a in arrays]
    return np.array([one_sequence(sequence, *lists, heads) for sequence in x.tolist()])
