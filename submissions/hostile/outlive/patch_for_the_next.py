"""Tries: patch NumPy and the built-in functions, so that later submissions compute nonsense.

Must happen: what it patched dies with its process (WA); the next submission is judged right.
"""
import builtins

import numpy as np


def encoder_block(x, *rest):
    np.exp = np.sqrt = np.maximum = np.matmul = np.einsum = np.dot = lambda *_, **__: 0.0
    builtins.range = lambda *_: iter(())
    np.set_printoptions(precision=1)
    np.seterr(all="raise")
    return x * 0
