"""Tries: print 50 MB to both streams.

Must happen: the output limit ends it (OLE); 4 KiB are kept.
"""
import sys


def encoder_block(x, *rest):
    for _ in range(50):
        print("x" * 500_000)
        print("x" * 500_000, file=sys.stderr)
    return x * 0
