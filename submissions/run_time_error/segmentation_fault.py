"""Reads from address 0."""

import ctypes


def encoder_block(*arguments):
    print("about to crash")
    return ctypes.string_at(0)
