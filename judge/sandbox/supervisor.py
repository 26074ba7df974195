"""The process between judge and zygote: it ends the zygote when either end of the chain breaks.

A new process namespace starts with a child, so that somebody has to stay outside and wait for it.
Source: pidfd_open(2), poll(2), PR_SET_PDEATHSIG in prctl(2), wait(2).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from typing import NoReturn

from judge.sandbox import kernel, sweep


def die_with_parent() -> None:
    """Be killed when the parent's thread ends; PR_SET_PDEATHSIG, cleared by fork and setuid.

    Raises:
        OSError: refused.
    """
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def split(judge: int) -> None:
    """Fork: the parent stays as supervisor and never returns, the child returns as the zygote.

    Args:
        judge: the judge's process id; when it ends, in whatever way, so does the zygote.

    Raises:
        OSError: no process could be made.
    """
    watched = _open_judge(judge)
    zygote = os.fork()
    if zygote:
        _supervise(zygote, watched)
    if watched >= 0:
        os.close(watched)


def _open_judge(judge: int) -> int:
    """Return a pidfd of the judge; -1 on kernels before 5.3, where PDEATHSIG must do."""
    try:
        descriptor = os.pidfd_open(judge)
    except ProcessLookupError:
        os._exit(0)
    except OSError:
        die_with_parent()
        descriptor = -1
    # Its number may have been another's by now, if it ended before this line.
    if os.getppid() != judge:
        os._exit(0)
    return descriptor


def _supervise(zygote: int, judge: int) -> NoReturn:
    """Wait for the zygote, or kill it when the judge ends or asks for it (SIGTERM)."""

    def kill_zygote(*_: object) -> None:
        os.kill(zygote, signal.SIGKILL)

    code = 70
    try:
        signal.signal(signal.SIGTERM, kill_zygote)
        _close_all_but(judge)
        with contextlib.suppress(OSError):
            kernel.hide_memory()
            # What the zygote leaves behind without a process namespace comes here, not to init.
            sweep.adopt_orphans()
        if judge >= 0 and _judge_ends_first(zygote, judge):
            kill_zygote()
        code = os.waitstatus_to_exitcode(os.waitpid(zygote, 0)[1])
        with contextlib.suppress(OSError):
            sweep.Sweeper(everything=False, children=sweep.open_children()).sweep()
    except BaseException:  # noqa: BLE001 (nothing above may go on as a second zygote)
        kill_zygote()
    os._exit(code if code >= 0 else 128 - code)


def _judge_ends_first(zygote: int, judge: int) -> bool:
    ended = os.pidfd_open(zygote)
    poll = select.poll()
    poll.register(judge, select.POLLIN)
    poll.register(ended, select.POLLIN)
    return ended not in {descriptor for descriptor, _ in poll.poll()}


def _close_all_but(judge: int) -> None:
    """Hold no end of any channel: the others tell by its closing that somebody has died."""
    highest = os.sysconf("SC_OPEN_MAX")
    for first, last in ((3, judge), (max(judge + 1, 3), highest)):
        if first < last:
            os.closerange(first, last)
