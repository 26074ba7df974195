"""Tries: keep data in the kernel's key ring, out of every limit on files.

Must happen: refused (RTE).
"""
import ctypes
import os

NUMBER = {"x86_64": 248, "aarch64": 217}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    kind, name = ctypes.create_string_buffer(b"user"), ctypes.create_string_buffer(b"judge-hostile")
    call(NUMBER, ctypes.addressof(kind), ctypes.addressof(name), ctypes.addressof(name), 4, -2)
    print("GOT")
    return x
