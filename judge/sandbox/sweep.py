"""Killing whatever a worker left behind, before the next one starts.

Source: kill(2), pid_namespaces(7), PR_SET_CHILD_SUBREAPER in prctl(2), proc_pid_task(5).
"""

from __future__ import annotations

import os
import signal
from typing import NamedTuple

from judge.sandbox import kernel


def adopt_orphans() -> None:
    """Become the parent of whatever a child leaves behind; PR_SET_CHILD_SUBREAPER. OSError."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def open_children() -> int:
    """Open the list of this process's children while /proc is in reach. Raises OSError."""
    process = os.getpid()
    return os.open(f"/proc/{process}/task/{process}/children", os.O_RDONLY | os.O_CLOEXEC)


class Sweeper(NamedTuple):
    """How leftovers are found.

    Args:
        everything: every process that this one may signal is a leftover: it is the init of its own
            process namespace, or the only one of an unused user.
        children: descriptor of the list of its children where that is not so, or -1.
    """

    everything: bool
    children: int = -1

    def sweep(self) -> int:
        """Kill and reap all that is left of a worker; returns how many processes there were."""
        if self.everything:
            return _sweep_everything()
        return _sweep_children(self.children) if self.children >= 0 else 0


def sweeper(children: int, *, own_user: bool) -> Sweeper:
    """Choose the way that is safe here.

    `kill(-1)` is right only for the init of a process namespace, or as a user that nobody else is;
    anywhere else it would end processes that are none of ours.

    Args:
        children: what `open_children` gave, or -1.
        own_user: whether this process has become a user that it shares with its children only.
    """
    return Sweeper(everything=os.getpid() == 1 or own_user, children=children)


def _sweep_everything() -> int:
    # Orphans come to this process (init, or subreaper) before their parent can be waited for, so
    # that a round in which there was nobody to wait for is the last.
    swept = 0
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return swept
        reaped = _reap_all()
        if not reaped:
            return swept
        swept += reaped


def _reap_all() -> int:
    count = 0
    try:
        while os.waitpid(-1, 0)[0]:
            count += 1
    except ChildProcessError:
        return count
    return count


def _sweep_children(listing: int) -> int:
    swept = 0
    while found := os.pread(listing, 1 << 16, 0).split():
        for child in map(int, found):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            swept += 1
    return swept
