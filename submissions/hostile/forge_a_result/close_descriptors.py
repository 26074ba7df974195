"""Tries: close every descriptor, so that the judge waits for a reply that can't come.

Must happen: the judge sees the channel closed at once (RTE).
"""
import os


def encoder_block(x, *rest):
    for descriptor in range(64):
        try:
            os.close(descriptor)
        except OSError:
            pass
    return x
