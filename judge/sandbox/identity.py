"""Whose processes the zygote and its workers are: an unused user's, or a mapped one's.

Source: credentials(7), setresuid(2), setgroups(2), user_namespaces(7).
"""

from __future__ import annotations

import os

FIRST_UID = 2_100_000_000
"""Above the ranges that distributions, containers and directory services give out by default.

A process id is added, so that two zygotes never share a user: one could signal the other.
"""

_FIRST_UID_IN_CONTAINER = 61_184
_CONTAINER_UIDS = 4_000
"""A container with users mapped has ids up to 65,535 only; this range is for dynamic ones there."""


def drop_to_unused(number: int) -> int:
    """Become an unused user, with an unused group and no others, for good.

    Args:
        number: the zygote's process id outside, which no other living process has.

    Returns:
        The user's id.

    Raises:
        OSError: this process is not root, or lacks CAP_SETUID or CAP_SETGID.
    """
    os.setgroups([])
    try:
        return _become(FIRST_UID + number)
    except OSError:  # EINVAL: not mapped in this container
        return _become(_FIRST_UID_IN_CONTAINER + number % _CONTAINER_UIDS)


def _become(user: int) -> int:
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    return user


def map_to_itself(user: int, group: int) -> None:
    """In a new user namespace: the user stays the same number inside; user_namespaces(7).

    Raises:
        OSError: some distributions let the namespace be made and refuse its maps.
    """
    # gid_map may be written by an ordinary user only after setgroups is given up.
    for name, content in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, content.encode())
        finally:
            os.close(descriptor)
