"""Tries: return one row with axes of length 1, which broadcasts against any answer.

Must happen: the shape is wrong (WA).
"""


def encoder_block(x, *rest):
    return x[:1, :1, :1] * 0
