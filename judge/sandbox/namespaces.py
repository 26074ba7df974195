"""Namespaces: a user's own, and an empty network, IPC, host name and process table.

Source: namespaces(7), user_namespaces(7), pid_namespaces(7), unshare(2), <linux/sched.h>.
"""

from __future__ import annotations

import os

from judge.sandbox import identity, kernel

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

HOST_NAME = b"jail"


def enter_user() -> None:
    """Enter a user namespace in which an ordinary user may make the others.

    Tried in a throwaway child first: where the maps are refused afterwards, the process would be
    left as nobody.

    Raises:
        OSError: user namespaces are switched off, or restricted for programs like this one.
    """
    _probe()
    _enter_user()


def _enter_user() -> None:
    user, group = os.geteuid(), os.getegid()
    kernel.call("unshare", CLONE_NEWUSER)
    identity.map_to_itself(user, group)


def _probe() -> None:
    child = os.fork()
    if child == 0:
        code = 0
        try:
            _enter_user()
            enter(CLONE_NEWNS)  # also refused where a profile strips the new capabilities
        except OSError as error:
            code = error.errno or 255
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code:
        reason = os.strerror(code) if 0 < code < 255 else f"the probe ended with {code}"
        raise OSError(code, f"user namespace: {reason}")


def enter(kind: int) -> None:
    """Leave one namespace for a new one; unshare(2). Raises OSError.

    A new process namespace is entered by the next child only, which is its init.
    """
    kernel.call("unshare", kind)


def enter_host_name() -> None:
    """Enter a UTS namespace and forget the machine's name there; sethostname(2). Raises OSError."""
    enter(CLONE_NEWUTS)
    kernel.call("sethostname", HOST_NAME, len(HOST_NAME))
