"""Closes every descriptor that it can."""

import os


def encoder_block(*arguments):
    os.closerange(0, 256)
    return arguments[0]
