"""Tries: return zeros, which are near enough where the tolerance is absolute and answers are small.

Must happen: they are not near enough (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.zeros_like(x)
