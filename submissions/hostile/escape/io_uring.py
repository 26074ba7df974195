"""Tries: make an io_uring, which does the work of other calls past many filters.

Must happen: refused (RTE).
"""
import ctypes
import os

NUMBER = {"x86_64": 425, "aarch64": 425}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    buffer = ctypes.create_string_buffer(256)
    call(NUMBER, 8, ctypes.addressof(buffer))
    print("GOT")
    return x
