"""A parenthesis is never closed."""

import numpy as np


def encoder_block(x, *rest):
    return np.maximum((x, 0)
