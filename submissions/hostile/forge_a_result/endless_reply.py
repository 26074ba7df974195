"""Tries: send zeros without end.

Must happen: the first bytes are no reply (RTE), and the worker is ended.
"""
import os


def encoder_block(x, *rest):
    while True:
        os.write(3, bytes(1 << 16))
