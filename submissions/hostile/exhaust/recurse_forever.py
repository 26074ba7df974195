"""Tries: recurse without end, with Python's own limit taken away.

Must happen: the memory limit refuses it (MLE), or this process crashes (RTE); the judge goes on.
"""
import sys


def down(luggage):
    return down(bytes(1 << 20)), luggage


def encoder_block(x, *rest):
    sys.setrecursionlimit(1 << 30)
    down(b"")
    return x
