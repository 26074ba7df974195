"""Tries: walk up the frames of the worker and change its variables and its functions' code.

Must happen: the judge compares what it gets, whatever this process believes (WA or RTE).
"""
import sys

import numpy as np


def accept(*_, **__):
    return True


def encoder_block(x, *rest):
    frame = sys._getframe(1)
    while frame is not None:
        for name, value in list(frame.f_globals.items()):
            if name in ("compare", "_describe", "_changed") and hasattr(value, "__code__"):
                value.__code__ = accept.__code__
            if name in ("result", "verdict", "passed"):
                frame.f_globals[name] = True
        frame.f_locals.update(result=True, verdict="AC", passed=True, wanted=None)
        frame = frame.f_back
    return np.zeros_like(x)
