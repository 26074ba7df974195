"""Processes that a test must be sure have ended."""

from __future__ import annotations

import os
import select
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Return every process under one, whatever namespace it is in; proc_pid_task(5)."""
    found = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in listing.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def watch(pids: list[int]) -> list[int]:
    """Return a pidfd for each process that still runs."""
    descriptors = []
    for pid in pids:
        try:
            descriptors.append(os.pidfd_open(pid))
        except ProcessLookupError:
            continue
    return descriptors


def all_ended(descriptors: list[int], seconds: float = 20.0) -> bool:
    """Wait for the end of every process watched, close the pidfds, and tell whether it came."""
    left = set(descriptors)
    while left:
        ready = select.select(sorted(left), [], [], seconds)[0]
        if not ready:
            break
        left -= set(ready)
    for descriptor in descriptors:
        os.close(descriptor)
    return not left
