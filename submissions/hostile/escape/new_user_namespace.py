"""Tries: become an administrator in a user namespace of its own.

Must happen: refused (RTE).
"""
import ctypes
import os

NUMBER = {"x86_64": 272, "aarch64": 97}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    call(NUMBER, 0x10000000)
    print("GOT")
    return x
