"""Tries: kill the process that this one was forked from.

Must happen: refused (RTE), or ignored where that process is an init of its own namespace (WA).
"""
import os
import signal


def encoder_block(x, *rest):
    os.kill(os.getppid(), signal.SIGKILL)
    return x
