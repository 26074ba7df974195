"""Tries: wait for ever, which takes no processor time.

Must happen: the deadline is one of wall time (TLE).
"""
import time


def encoder_block(x, *rest):
    while True:
        time.sleep(1000)
