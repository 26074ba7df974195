"""Tries: become root, by asking for it and by a set-user-id program.

Must happen: refused (RTE).
"""
import os


def encoder_block(x, *rest):
    os.setresuid(0, 0, 0)
    print("GOT")
    return x
