"""Tries: write machine code into memory and run it.

Must happen: no memory can be made executable (RTE).
"""
import ctypes
import mmap
import os

# returns 42
CODE = {
    "x86_64": bytes([0xB8, 42, 0, 0, 0, 0xC3]),
    "aarch64": bytes([0x40, 0x05, 0x80, 0x52, 0xC0, 0x03, 0x5F, 0xD6]),
}[os.uname().machine]


def encoder_block(x, *rest):
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 42:
        print("GOT")
    return x
