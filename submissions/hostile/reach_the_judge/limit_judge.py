"""Tries: lower the judge's own resource limits with prlimit(2).

Must happen: refused (RTE).
"""
import os
import resource

JUDGE = 0


def encoder_block(x, *rest):
    resource.prlimit(JUDGE or os.getppid(), resource.RLIMIT_CORE, (0, 0))
    print("GOT")
    return x
