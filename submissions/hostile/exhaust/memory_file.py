"""Tries: keep 256 MiB in a file without a name, which address space limits don't count.

Must happen: no such file can be made (RTE).
"""
import os


def encoder_block(x, *rest):
    descriptor = os.memfd_create("hidden")
    for _ in range(256):
        os.write(descriptor, bytes(1 << 20))
    print("GOT")
    os.close(descriptor)
    return x
