"""Tries: watch the processor's counters, which tell about other processes.

Must happen: refused (RTE).
"""
import ctypes
import os

NUMBER = {"x86_64": 298, "aarch64": 241}[os.uname().machine]

def call(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def encoder_block(x, *rest):
    # PERF_TYPE_SOFTWARE, size 64, PERF_COUNT_SW_CPU_CLOCK, exclude_kernel and exclude_hv
    buffer = ctypes.create_string_buffer(bytes([1, 0, 0, 0, 64] + [0] * 35 + [0x60]), 64)
    call(NUMBER, ctypes.addressof(buffer), 0, -1, -1, 0)
    print("GOT")
    return x
