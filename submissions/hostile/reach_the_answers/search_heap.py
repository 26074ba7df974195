"""Tries: find the expected array among all objects of this process.

Must happen: there is none (WA): a worker never holds an answer.
"""
import gc

import numpy as np


def contents(thing):
    if isinstance(thing, dict):
        return list(thing.values())
    return list(thing) if type(thing) in (list, tuple) else []


def encoder_block(*arguments):
    shape = arguments[0].shape
    known = {id(argument) for argument in arguments}
    for thing in gc.get_objects():
        for value in contents(thing):
            if type(value) is np.ndarray and value.shape == shape and id(value) not in known:
                return value.astype(float)
    return np.zeros(shape)
