"""Asks for 2 GB in one array."""

import numpy as np


def encoder_block(x, *rest):
    return np.ones((1 << 28,))[: x.size].reshape(x.shape)
