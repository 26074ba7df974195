"""Tries: mount a file system of its own over the root.

Must happen: refused (RTE).
"""
import ctypes
import os


def encoder_block(x, *rest):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", b"/", b"tmpfs", 0, None) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("GOT")
    return x
