"""Landlock: no file but those named, no TCP, no signal or abstract socket out of the domain.

Source: landlock(7), landlock_create_ruleset(2), landlock_add_rule(2), landlock_restrict_self(2),
<linux/landlock.h>. The kernel tells by its ABI number which rights it knows.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable

from judge.sandbox import kernel

LANDLOCK_CREATE_RULESET_VERSION = 1 << 0
LANDLOCK_RULE_PATH_BENEATH = 1

LANDLOCK_ACCESS_FS_WRITE_FILE = 1 << 1
LANDLOCK_ACCESS_FS_READ_FILE = 1 << 2
LANDLOCK_ACCESS_FS_READ_DIR = 1 << 3
LANDLOCK_ACCESS_FS_MAKE_SYM = 1 << 12  # the last of ABI 1
LANDLOCK_ACCESS_FS_REFER = 1 << 13  # since ABI 2
LANDLOCK_ACCESS_FS_TRUNCATE = 1 << 14  # since ABI 3
LANDLOCK_ACCESS_FS_IOCTL_DEV = 1 << 15  # since ABI 5
LANDLOCK_ACCESS_NET_BIND_TCP = 1 << 0  # since ABI 4
LANDLOCK_ACCESS_NET_CONNECT_TCP = 1 << 1  # since ABI 4
LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0  # since ABI 6
LANDLOCK_SCOPE_SIGNAL = 1 << 1  # since ABI 6
LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF = 1 << 0  # since ABI 7


def abi() -> int:
    """Return the kernel's Landlock ABI; raises OSError where it has none or has it disabled."""
    # Asked for by the system call: securityfs, which also lists it, need not be mounted.
    return kernel.call("landlock_create_ruleset", None, 0, LANDLOCK_CREATE_RULESET_VERSION)


def ruleset_attributes(version: int) -> bytes:
    """Return `struct landlock_ruleset_attr`: everything that this ABI can forbid is forbidden."""
    files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1
    for since, right in (
        (2, LANDLOCK_ACCESS_FS_REFER),
        (3, LANDLOCK_ACCESS_FS_TRUNCATE),
        (5, LANDLOCK_ACCESS_FS_IOCTL_DEV),
    ):
        files |= right if version >= since else 0
    words = [files]
    if version >= 4:
        words.append(LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP)
    if version >= 6:
        words.append(LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL)
    # A kernel that knows a shorter struct accepts no longer one, unless the rest is zero.
    return struct.pack(f"={len(words)}Q", *words)


def create(readable: Iterable[str], writable: Iterable[str] = ()) -> int:
    """Make a set of rules.

    Args:
        readable: files, and folders with all beneath them, that may be read; none may be executed.
        writable: files that may also be written, such as /dev/null.

    Returns:
        Its descriptor (close-on-exec); `restrict` may be called with it any number of times.

    Raises:
        OSError: no Landlock, or a path can't be opened for a reason other than its absence.
    """
    attributes = ruleset_attributes(abi())
    rules = kernel.call("landlock_create_ruleset", attributes, len(attributes), 0)
    reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR
    for path in readable:
        _allow(rules, path, reading)
    for path in writable:
        _allow(rules, path, reading | LANDLOCK_ACCESS_FS_WRITE_FILE)
    return rules


def _allow(rules: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= ~LANDLOCK_ACCESS_FS_READ_DIR  # refused for a file
        # struct landlock_path_beneath_attr {__u64 allowed_access; __s32 parent_fd;} packed
        rule = struct.pack("=Qi", access, descriptor)
        kernel.call("landlock_add_rule", rules, LANDLOCK_RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def restrict(rules: int) -> None:
    """Enter a new domain under the rules, for good; needs no_new_privs. Raises OSError."""
    # Refusals would be written to the system's log, which a submission could fill with them.
    quiet = LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF if abi() >= 7 else 0
    kernel.call("landlock_restrict_self", rules, quiet)
