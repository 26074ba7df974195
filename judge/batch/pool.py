"""This machine's pool of zygotes: as many processes as it may use cores, each with one."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait
from pathlib import Path


def usable_cores() -> int:
    """Return how many cores this process may use: its affinity, or less by a cgroup's quota.

    Source: sched_getaffinity(2); cpu.max in the kernel's documentation of control groups v2.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, _quota()))


def zygote_pool(workers: int | None = None) -> ProcessPoolExecutor:
    """Return an executor of processes that each keep one zygote, started from their main thread.

    Args:
        workers: how many; one for each usable core when None.
    """
    # A forked child would share the parent's descriptors and threads; a spawned one starts clean.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        workers or usable_cores(), mp_context=context, initializer=prepare_process
    )


def prepare_process() -> None:
    """Leave Ctrl-C to the process that hands out the work, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the parent's end: a pool's process would wait for work from a dead one for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _quota() -> int:
    smallest = math.inf
    for folder in _cgroup_folders():
        try:
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        except (OSError, ValueError):
            continue
        if quota != "max" and int(period) > 0:
            smallest = min(smallest, int(quota) / int(period))
    return max(1, math.ceil(smallest)) if smallest < math.inf else 1 << 30


def _cgroup_folders() -> list[Path]:
    """Return this process's control group and those above it; each may set a quota."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    own = next((line[3:] for line in lines if line.startswith("0::")), None)
    if own is None:
        return []
    root = Path("/sys/fs/cgroup")
    folder = root / own.lstrip("/")
    return [folder, *[above for above in folder.parents if above.is_relative_to(root)]]
