"""Tries: put a pipe of its own between the worker and the judge with dup2.

Must happen: refused (RTE), or the bytes that come are compared like any other (WA, RTE).
"""
import os


def encoder_block(x, *rest):
    reading, writing = os.pipe()
    os.dup2(writing, 3)
    return x
