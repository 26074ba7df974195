"""Tries: read the judge's memory, where the answers are, with process_vm_readv(2).

Must happen: refused (RTE). A bad address (EFAULT) means that it would have been allowed.
"""
import ctypes
import errno
import os

JUDGE = 0
NUMBER = {"x86_64": 310, "aarch64": 270}[os.uname().machine]


class Span(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))


def encoder_block(x, *rest):
    libc = ctypes.CDLL(None, use_errno=True)
    here = ctypes.create_string_buffer(8)
    local, there = Span(ctypes.addressof(here), 8), Span(4096, 8)
    target = ctypes.c_long(JUDGE or os.getppid())
    count = libc.syscall(NUMBER, target, ctypes.byref(local), 1, ctypes.byref(there), 1, 0)
    if count < 0 and ctypes.get_errno() != errno.EFAULT:
        raise OSError(ctypes.get_errno(), "process_vm_readv")
    print("GOT")
    return x
