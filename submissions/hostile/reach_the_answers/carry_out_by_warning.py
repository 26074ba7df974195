"""Tries: carry the inputs of secret cases out in warnings.

Must happen: it may warn (WA); a learner's report of a secret case holds no warning.
"""
import warnings


def encoder_block(x, *rest):
    warnings.simplefilter("always")
    warnings.warn(f"GOT {x.ravel()[:4].tolist()}", stacklevel=1)
    return x * 0
