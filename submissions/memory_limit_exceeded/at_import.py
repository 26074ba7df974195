"""Asks for 2 GB when it is imported."""

import numpy as np

TABLE = np.ones((1 << 28,))


def encoder_block(x, *rest):
    return x
