"""Tries: hang inside one call of a regular expression, where no Python signal handler runs.

Must happen: the deadline of the call ends it (TLE).
"""
import re


def encoder_block(x, *rest):
    re.match(r"(a*)*(a*)*(a*)*b", "a" * 60)
    return x
