"""System calls by name, through the C library's syscall(2), and the prctl(2) calls in use.

Python's own wrappers of unshare, mount and others came with 3.12 or not at all.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Mapping

from judge.sandbox import syscalls

# <linux/prctl.h>
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_READ = 23
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

Argument = int | bytes | ctypes.Array[ctypes.c_char] | None


@functools.cache
def _numbers() -> Mapping[str, int]:
    machine = syscalls.machine()
    return syscalls.table(machine) if machine in syscalls.ARCHITECTURES else {}


@functools.cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def call(name: str, *arguments: Argument) -> int:
    """Make a system call; syscall(2).

    Args:
        name: the call's name, as in "unshare".
        arguments: whole numbers, or bytes and buffers, of which the address is passed.

    Returns:
        What the call returns.

    Raises:
        OSError: it failed, or this architecture is one whose numbers are not known here.
    """
    number = _numbers().get(name)
    if number is None:
        raise OSError(0, f"{name}: not known for this architecture ({syscalls.machine()})")
    # Every argument as wide as a register: a Python int alone would be passed as 32 bits.
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result: int = _libc().syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def prctl(option: int, value: int = 0) -> int:
    """Set or read an attribute of this process, or raise OSError; see man 2 prctl."""
    # The unused arguments must be zero, or some options are refused.
    return call("prctl", option, value, 0, 0, 0)


def hide_memory() -> None:
    """Close this process's memory and private files in /proc to others of its user.

    It can't be traced and dumps no core from now on; PR_SET_DUMPABLE in prctl(2), proc(5). A new
    program, and setuid, set it anew.

    Raises:
        OSError: the system has no such thing.
    """
    prctl(PR_SET_DUMPABLE, 0)
