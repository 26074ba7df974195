"""Tries: take memory in small pieces until it is refused, catch the error, and keep what it has.

Must happen: no more than the limit is taken; the answer is wrong (WA).
"""
import numpy as np

KEPT = []


def encoder_block(x, *rest):
    try:
        for _ in range(256):
            KEPT.append(np.zeros(16 << 20, dtype=np.uint8))
    except MemoryError:
        del KEPT[-1]
    return x * 0
