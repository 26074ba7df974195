"""Tries: return a subclass that claims to be the array type itself.

Must happen: its real type counts (WA).
"""
import numpy as np


class Disguised(np.ndarray):
    __class__ = np.ndarray


Disguised.__name__ = Disguised.__qualname__ = "ndarray"
Disguised.__module__ = "numpy"


def encoder_block(x, *rest):
    return np.zeros(x.shape).view(Disguised)
