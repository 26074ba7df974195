"""Tries: patch the functions of NumPy that a checker is likely to call.

Must happen: the comparison runs in the judge, which this process can't patch (WA).
"""
import builtins

import numpy as np


def encoder_block(x, *rest):
    yes = lambda *_, **__: True
    for name in ("allclose", "array_equal", "isclose", "array_equiv", "all", "isfinite", "shape"):
        setattr(np, name, yes)
    np.testing.assert_allclose = yes
    builtins.abs = builtins.max = builtins.sum = lambda *_, **__: 0.0
    builtins.isinstance = yes
    return x * 0
