"""Tries: run code after the last reply, from destructors and exit handlers.

Must happen: whatever it sends then is read by nobody (WA).
"""
import atexit
import os


class Late:
    def __del__(self):
        os.write(3, b'{"verdict": "AC"}')


KEPT = Late()
atexit.register(os.write, 3, b'{"verdict": "AC"}')


def encoder_block(x, *rest):
    return x * 0
