"""Tries: name the judge as the owner of a descriptor, so that the kernel signals it (fcntl(2)).

Must happen: refused (RTE), or nothing comes of it (WA).
"""
import fcntl
import os
import signal

JUDGE = 0
F_SETSIG = 10


def encoder_block(x, *rest):
    fcntl.fcntl(1, fcntl.F_SETOWN, JUDGE or os.getppid())
    fcntl.fcntl(1, F_SETSIG, signal.SIGUSR1)
    fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_ASYNC)
    # The signal comes when the judge reads from a pipe that was full.
    print("x" * 200_000)
    return x
