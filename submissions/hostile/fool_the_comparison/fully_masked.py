"""Tries: return a masked array in which every element is masked, so that nothing differs.

Must happen: exactly an array is wanted, no masked one (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.ma.masked_all(x.shape)
