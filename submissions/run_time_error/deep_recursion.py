"""Negates an array that holds itself: endless recursion in C, where no limit of Python's counts."""

import numpy as np


def encoder_block(*arguments):
    itself = np.empty(1, dtype=object)
    itself[0] = itself
    return -itself
