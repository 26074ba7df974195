"""Tries: find the answer in memory that was used before, without computing anything.

Must happen: what lies there is not the answer (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    leftover = np.empty(x.shape)
    return np.where(np.isfinite(leftover), leftover, 0.0)
