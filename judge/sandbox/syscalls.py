"""Numbers of the system calls that the judge makes or allows, by architecture.

Source: <asm/unistd_64.h> for x86_64 and <asm-generic/unistd.h> for aarch64, as Debian's packages
linux-libc-dev and linux-libc-dev-arm64-cross ship them; a test compares every number with them.
"""

from __future__ import annotations

import os
import sys

# name: (x86_64, aarch64); None where the architecture has no such call.
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # what a worker may call
    "read": (0, 63),
    "write": (1, 64),
    "open": (2, None),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "ioctl": (16, 29),
    "readv": (19, 65),
    "writev": (20, 66),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "exit": (60, 93),
    "kill": (62, 129),
    "uname": (63, 160),
    "fcntl": (72, 25),
    "getcwd": (79, 17),
    "readlink": (89, None),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "getdents64": (217, 61),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "tgkill": (234, 131),
    "openat": (257, 56),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "ppoll": (271, 73),
    "prlimit64": (302, 261),
    "getrandom": (318, 278),
    "clone3": (435, 435),
    # what the judge calls to build the jail
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "mount": (165, 40),
    "umount2": (166, 39),
    "sethostname": (170, 161),
    "capget": (125, 90),
    "capset": (126, 91),
    "unshare": (272, 97),
    "seccomp": (317, 277),
    "close_range": (436, 436),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}

ARCHITECTURES = ("x86_64", "aarch64")


def table(architecture: str) -> dict[str, int]:
    """Return the numbers of one architecture by name, without the calls that it does not have."""
    column = ARCHITECTURES.index(architecture)
    return {name: row[column] for name, row in _NUMBERS.items() if row[column] is not None}  # type: ignore[misc]


def machine() -> str:
    """Return the architecture of this interpreter; "amd64" and "arm64" are other names of ours.

    A 32-bit interpreter on a 64-bit kernel calls by other numbers, and counts as another machine.
    """
    name = os.uname().machine.lower()
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)
    return name if sys.maxsize > 1 << 32 else f"{name} (32 bit)"
