"""Exits when it is imported."""

import sys


def encoder_block(x, *rest):
    return x


sys.exit(encoder_block(0))
