"""Tries: draw the numbers that a generator with a well-known seed would give.

Must happen: the answers are no draws of a generator (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.random.default_rng(20170612).normal(size=x.shape)
