"""Tries: leave a segment of System V shared memory (1 MiB), which lives until it is removed.

Must happen: none can be made (RTE), or it goes with its namespace.
"""
import ctypes

KEY = 0x4A554447
IPC_CREAT = 0o1000


def encoder_block(x, *rest):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.shmget(KEY, ctypes.c_size_t(1 << 20), IPC_CREAT | 0o666) < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    return x
