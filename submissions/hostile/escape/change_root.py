"""Tries: leave the root with chroot(2), and a folder opened before.

Must happen: refused (RTE).
"""
import os


def encoder_block(x, *rest):
    os.chroot(".")
    print("GOT")
    return x
