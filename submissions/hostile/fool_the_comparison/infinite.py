"""Tries: return infinities, whose relative error is NaN.

Must happen: non-finite values are wrong (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.full(x.shape, np.inf)
