"""Tries: print an integer of a hundred million digits.

Must happen: Python refuses (RTE), or the deadline ends it (TLE).
"""
import sys


def encoder_block(x, *rest):
    sys.set_int_max_str_digits(0)
    return str(1 << 400_000_000)
