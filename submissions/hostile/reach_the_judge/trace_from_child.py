"""Tries: fork a child that traces its parent, and rewrites what it sends.

Must happen: no child can be made (RTE).
"""
import ctypes
import os
import time

NUMBER = {"x86_64": 101, "aarch64": 117}[os.uname().machine]
PTRACE_SEIZE = 0x4206


def encoder_block(x, *rest):
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        attached = libc.syscall(NUMBER, PTRACE_SEIZE, ctypes.c_long(parent), 0, 0)
        os._exit(0 if attached < 0 else 1)
    _, status = os.waitpid(child, 0)
    if status:
        print("GOT")
    time.sleep(0)
    return x
