"""Tries: take the judge its processors and its priority.

Must happen: refused (RTE).
"""
import os

JUDGE = 0


def encoder_block(x, *rest):
    os.setpriority(os.PRIO_PROCESS, JUDGE or os.getppid(), 19)
    print("GOT")
    return x
