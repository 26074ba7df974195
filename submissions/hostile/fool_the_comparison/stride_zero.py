"""Tries: return an array of the right shape in which all elements are one and the same.

Must happen: it is an array, and its values are wrong (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.broadcast_to(np.float64(0.5), x.shape)
