"""Raises an exception when it is imported."""

import numpy as np

W = np.load("weights.npy")


def encoder_block(x, *rest):
    return x @ W
