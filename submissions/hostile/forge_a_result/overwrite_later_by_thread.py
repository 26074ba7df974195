"""Tries: return a wrong array and let a thread overwrite it while it is compared.

Must happen: no thread can be started (RTE), or the array arrives as it was when it was sent (WA).
"""
import threading

import numpy as np


def encoder_block(x, *rest):
    result = np.zeros_like(x)
    threading.Thread(target=lambda: [result.fill(i) for i in range(1000)], daemon=True).start()
    return result
