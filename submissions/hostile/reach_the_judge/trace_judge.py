"""Tries: attach to the judge with ptrace(2), which could read and write all of its memory.

Must happen: refused (RTE).
"""
import ctypes
import os

JUDGE = 0
NUMBER = {"x86_64": 101, "aarch64": 117}[os.uname().machine]
PTRACE_SEIZE = 0x4206


def encoder_block(x, *rest):
    libc = ctypes.CDLL(None, use_errno=True)
    target = JUDGE or os.getppid()
    if libc.syscall(NUMBER, PTRACE_SEIZE, ctypes.c_long(target), 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    print("GOT")
    return x
