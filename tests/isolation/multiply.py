"""A submission that multiplies matrices large enough for BLAS to use threads, if it had any."""

import os

import numpy as np


def encoder_block(x, *rest):
    large = np.ones((600, 600))
    assert (large @ large)[0, 0] == 600.0
    threads = [value for name, value in os.environ.items() if name.endswith("_NUM_THREADS")]
    assert threads == ["1", "1", "1"], threads
    print("MULTIPLIED")
    return x
