"""Tries: put a seccomp filter of its own on this process, which lies about calls.

Must happen: refused (RTE).
"""
import ctypes
import os
import struct

NUMBER = {"x86_64": 317, "aarch64": 277}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    # one instruction: return SECCOMP_RET_ALLOW
    allow = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000), 8)
    program = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(allow)))
    call(NUMBER, 1, 0, ctypes.addressof(program))
    print("GOT")
    return x
