"""Tries: make a BPF map, the first step of a program in the kernel.

Must happen: refused (RTE).
"""
import ctypes
import os
import struct

NUMBER = {"x86_64": 321, "aarch64": 280}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    # BPF_MAP_CREATE of an array: type 2, keys of 4 bytes, values of 4, one entry
    map_attributes = struct.pack("=4I", 2, 4, 4, 1)
    buffer = ctypes.create_string_buffer(map_attributes, 48)
    call(NUMBER, 0, ctypes.addressof(buffer), 48)
    print("GOT")
    return x
