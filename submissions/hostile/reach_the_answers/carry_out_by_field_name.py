"""Tries: carry the inputs of secret cases out in the field names of a structured dtype.

Must happen: the dtype is wrong (WA); a learner's report of a secret case holds no such name.
"""
import numpy as np


def encoder_block(x, *rest):
    return np.zeros(x.shape, dtype=[(f"GOT_{float(x.ravel()[0])!r}", float)])
