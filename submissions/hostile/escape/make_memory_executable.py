"""Tries: make memory executable that was not so when it was mapped.

Must happen: refused (RTE).
"""
import ctypes
import mmap
import os


def encoder_block(x, *rest):
    memory = mmap.mmap(-1, 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(4096), 7) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("GOT")
    return x
