"""Tries: stop its own process, so that the judge waits for one that is not even running.

Must happen: the deadline of the call ends it (TLE).
"""
import os
import signal


def encoder_block(x, *rest):
    os.kill(os.getpid(), signal.SIGSTOP)
    return x
