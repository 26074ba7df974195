"""Tries: leave a message for the next submission in a System V message queue.

Must happen: none can be made (RTE), or it goes with its namespace.
"""
import ctypes

KEY = 0x4A554447
IPC_CREAT = 0o1000


def encoder_block(x, *rest):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.msgget(KEY, IPC_CREAT | 0o666) < 0:
        raise OSError(ctypes.get_errno(), "msgget")
    return x
