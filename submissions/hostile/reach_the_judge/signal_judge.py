"""Tries: send a signal to the judge.

Must happen: refused (RTE).
"""
import os
import signal

JUDGE = 0


def encoder_block(x, *rest):
    os.kill(JUDGE or os.getppid(), signal.SIGUSR1)
    return x
