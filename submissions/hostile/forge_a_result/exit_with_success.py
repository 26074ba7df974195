"""Tries: end with exit code 0 instead of returning.

Must happen: an exit is no result (RTE).
"""
import os


def encoder_block(x, *rest):
    os._exit(0)
