"""Tries: call by the numbers of another calling convention (x32), which some filters forget.

Must happen: the process is killed (RTE), or there is no such call.
"""
import ctypes
import os

X32 = 0x40000000
GETPID = 39


def encoder_block(x, *rest):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(X32 | GETPID) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("GOT")
    return x
