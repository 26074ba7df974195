"""Defines nothing that looks like the function."""

def attention(q, k, v):
    return q @ k.T @ v


def relu(x):
    return x * (x > 0)
