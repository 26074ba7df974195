"""Tries: return a subclass of the array type that answers NumPy's functions itself.

Must happen: exactly an array is wanted, no subclass (WA).
"""
import numpy as np


class Yes(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return True

    def __array_ufunc__(self, function, method, *inputs, **kwargs):
        return np.True_

    def __eq__(self, other):
        return True


def encoder_block(x, *rest):
    return np.zeros(x.shape).view(Yes)
