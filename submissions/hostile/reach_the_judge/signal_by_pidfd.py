"""Tries: get a handle on the judge's process, signal it, and take a descriptor out of it.

Must happen: refused (RTE).
"""
import ctypes
import os
import signal

JUDGE = 0
PIDFD_GETFD = 438


def encoder_block(x, *rest):
    handle = os.pidfd_open(JUDGE or os.getppid())
    signal.pidfd_send_signal(handle, signal.SIGUSR1)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(PIDFD_GETFD, handle, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    print("GOT")
    return x
