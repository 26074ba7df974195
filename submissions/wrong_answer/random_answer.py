"""Returns random numbers."""

import numpy as np


def encoder_block(x, *rest):
    return np.random.default_rng().normal(size=x.shape)
