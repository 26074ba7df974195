"""Tries: return one number, which broadcasts against any answer.

Must happen: it is not an array of the right shape (WA).
"""
import numpy as np


def encoder_block(x, *rest):
    return np.zeros(())
