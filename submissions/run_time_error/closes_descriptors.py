"""Closes every descriptor that it can."""

import contextlib
import os


def encoder_block(*arguments):
    for descriptor in range(256):
        with contextlib.suppress(OSError):
            os.close(descriptor)
    return arguments[0]
