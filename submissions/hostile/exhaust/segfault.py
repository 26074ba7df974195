"""Tries: read from address 0.

Must happen: this process crashes (RTE); the judge goes on.
"""
import ctypes


def encoder_block(x, *rest):
    ctypes.string_at(0)
    return x
