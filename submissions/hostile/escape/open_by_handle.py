"""Tries: open a file by its number on the disk, past every path.

Must happen: refused (RTE).
"""
import ctypes
import os
import struct

NUMBER = {"x86_64": 304, "aarch64": 265}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    # struct file_handle: 8 bytes of type 1: inode 2 (the root of many file systems), generation 0
    buffer = ctypes.create_string_buffer(struct.pack("=4I", 8, 1, 2, 0), 16)
    call(NUMBER, -100, ctypes.addressof(buffer), 0)
    print("GOT")
    return x
