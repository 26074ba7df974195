"""Tries: turn its failure into exit code 0 when the interpreter ends.

Must happen: exit codes decide nothing (RTE).
"""
import atexit
import os


def encoder_block(x, *rest):
    atexit.register(os._exit, 0)
    raise SystemExit(1)
