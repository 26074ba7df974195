"""Tries: change NumPy's and Python's own files, and their compiled copies, for those after it.

Must happen: none can be opened for writing (RTE).
"""
import json
import os

import numpy as np


def encoder_block(x, *rest):
    refused = None
    for path in (np.__file__, json.__file__, json.__cached__):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
            print("GOT", path)
        except OSError as error:
            refused = error
    if refused:
        raise refused
    return x
