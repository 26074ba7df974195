"""Leaves with sys.exit in the call."""

import sys


def encoder_block(*arguments):
    sys.exit(0)
