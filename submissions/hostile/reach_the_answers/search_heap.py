"""Tries: find the expected array among all objects of this process.

Must happen: there is none (WA): a worker never holds an answer.
"""
import gc

import numpy as np


def encoder_block(*arguments):
    known = {id(argument) for argument in arguments}
    for thing in gc.get_objects():
        values = thing.values() if isinstance(thing, dict) else thing if type(thing) in (list, tuple) else ()
        for value in list(values):
            if type(value) is np.ndarray and value.shape == arguments[0].shape and id(value) not in known:
                return value.astype(float)
    return np.zeros_like(arguments[0])
