"""Tries: return NaN, for which every "difference > tolerance" is false.

Must happen: non-finite values are wrong (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.full(x.shape, np.nan)
