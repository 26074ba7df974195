"""Tries: take 8 GiB of memory at once, and touch 256 MiB of it.

Must happen: the memory limit refuses it (MLE).
"""
import numpy as np


def encoder_block(x, *rest):
    much = np.empty(8 << 30, dtype=np.uint8)
    much[: 256 << 20 : 4096] = 1
    print("GOT")
    return x
