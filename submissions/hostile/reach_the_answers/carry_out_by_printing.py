"""Tries: carry the inputs of secret cases out by printing them.

Must happen: it may run (WA); a learner's report of a secret case holds no printed text.
"""
import sys


def encoder_block(x, *rest):
    print("GOT", x.ravel()[:4].tolist())
    print("GOT", x.ravel()[:4].tolist(), file=sys.stderr)
    return x * 0
