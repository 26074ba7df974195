"""Tries: handle page faults of the kernel itself, which widens its races.

Must happen: refused (RTE).
"""
import ctypes
import os

NUMBER = {"x86_64": 323, "aarch64": 282}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    call(NUMBER, 1)
    print("GOT")
    return x
