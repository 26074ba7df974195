"""Tries: open files until no more can be opened.

Must happen: the limit is that of this process alone (RTE).
"""
import json

KEPT = []


def encoder_block(x, *rest):
    for _ in range(100_000):
        KEPT.append(open(json.__file__))
    return x
