"""Tries: replace what the worker sends with, in every module and every function's globals.

Must happen: at most the forged bytes arrive, and are compared or refused (WA or RTE).
"""
import gc
import os
import types

import numpy as np

real_write = os.write


def lie(descriptor, data):
    return real_write(descriptor, bytes(len(data)) if descriptor == 3 else data)


def encoder_block(x, *rest):
    os.write = lie
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__globals__.get("_write") is real_write:
            thing.__globals__["_write"] = lie
    return np.zeros_like(x)
