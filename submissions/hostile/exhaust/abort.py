"""Tries: abort.

Must happen: this process crashes (RTE), and leaves no core file.
"""
import os


def encoder_block(x, *rest):
    os.abort()
