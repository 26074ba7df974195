"""Tries: handle SIGSYS, which some filters send for refused system calls, and go on.

Must happen: refused calls fail; the handler is never called (RTE).
"""
import os
import signal


def encoder_block(x, *rest):
    signal.signal(signal.SIGSYS, lambda *_: print("GOT"))
    os.fork()
    return x
