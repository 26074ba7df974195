"""Tries: let a timer interrupt the worker and overwrite the result after it was returned.

Must happen: no timer can be set (RTE), or the array arrives as it was when it was sent (WA).
"""
import signal

import numpy as np


def encoder_block(x, *rest):
    result = np.zeros_like(x)
    signal.signal(signal.SIGALRM, lambda *_: result.fill(1.0))
    signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
    return result
