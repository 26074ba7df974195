"""Tries: write a verdict to every descriptor that the judge may have left open.

Must happen: none but its own is open; what comes over that is no reply (RTE).
"""
import os


def encoder_block(x, *rest):
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, b'{"verdict": "AC", "score": 1.0}')
            if descriptor > 3:
                print("GOT", descriptor)
        except OSError:
            pass
    return x
