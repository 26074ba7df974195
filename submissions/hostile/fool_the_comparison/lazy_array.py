"""Tries: return an object that makes itself an array only when the checker converts it.

Must happen: it is not an array, and nobody converts it (WA).
"""
import numpy as np


class Lazy:
    def __init__(self, x):
        self.x = x

    def __array__(self, *args, **kwargs):
        print("GOT")
        return np.zeros_like(self.x)


def encoder_block(x, *rest):
    return Lazy(x)
