"""What the self-test tries from inside a worker; judged like any submission, so it imports none.

Each probe returns 0 when it got through, an errno (positive) when it was refused, `UNKNOWN` when it
could not be tried, which proves nothing, and `VACUOUS` when there was nothing there to try.
`judge.sandbox.selftest` runs this file and reads the results.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

THROUGH = 0
UNKNOWN = -1
VACUOUS = -2

SURVIVAL_SECONDS = 5
"""A process that outlives the worker ends by itself after this time, whatever holds or not."""

_PTRACE_SEIZE = 0x4206  # <linux/ptrace.h>: attaches without stopping
# <asm/unistd.h>: (ptrace, process_vm_readv)
_CALLS = {"x86_64": (101, 310), "aarch64": (117, 270)}


def probe(
    canary: str, answers: str, abstract: str, path: str, tcp: int, udp: int, judge: int
) -> np.ndarray:
    """Try everything that a worker must not be able to do.

    Args:
        canary: path of a file that nobody but the judge may read.
        answers: paths of the answer files and their folder, one a line.
        abstract: name of a listening abstract Unix socket of the judge.
        path: path of a listening Unix socket of the judge.
        tcp: port of a listening TCP socket of the judge, on 127.0.0.1; 0 where there is none.
        udp: port of a UDP socket of the judge, likewise.
        judge: the judge's process id.

    Returns:
        One number per probe, int64, in the order of `PROBES`.
    """
    # Here, since the judge imports this file too, for its numbers.
    import numpy as np

    zygote = os.getppid()
    results = [
        _attempt(lambda: _open_any([canary])),
        _attempt(lambda: _open_any(answers.splitlines()), answers),
        _attempt(lambda: _connect(socket.AF_UNIX, "\0" + abstract), abstract),
        _attempt(lambda: _connect(socket.AF_UNIX, path), path),
        _attempt(lambda: _connect(socket.AF_INET, ("127.0.0.1", tcp)), tcp),
        _attempt(lambda: _send(udp), udp),
        _attempt(_leave_a_process),
        _attempt(lambda: _signal(judge), _is_other(judge)),
        _attempt(lambda: _signal(zygote), zygote),
        _attempt(lambda: _limits_of(judge), _is_other(judge)),
        _attempt(lambda: _open_any(_private_files(judge, zygote))),
        _attempt(lambda: _trace(judge), _is_other(judge)),
        _attempt(lambda: _trace(zygote), zygote),
        _attempt(lambda: _read_memory(judge), _is_other(judge)),
    ]
    return np.array(results, dtype=np.int64)


def _attempt(action: Callable[[], object], target: object = True) -> int:
    if not target:
        return VACUOUS
    try:
        action()
    except OSError as error:
        return error.errno or UNKNOWN
    except BaseException:  # noqa: BLE001 (whatever it was, it proves nothing)
        return UNKNOWN
    return THROUGH


def _is_other(judge: int) -> bool:
    """Tell whether this number can mean the judge: it has other numbers in another namespace."""
    return judge not in (os.getpid(), os.getppid())


def _open_any(paths: Sequence[str]) -> None:
    """Return when one of the files or folders can be opened, else raise the last refusal."""
    refused: OSError | None = None
    for path in paths:
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            refused = error
        else:
            return
    if refused:
        raise refused


def _connect(family: int, address: str | tuple[str, int]) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(1.0)
        one.connect(address)


def _send(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"probe", ("127.0.0.1", port))


def _leave_a_process() -> None:
    """Leave an orphan in a session of its own, which holds the worker's descriptors open."""
    if os.fork() == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                signal.alarm(SURVIVAL_SECONDS)
                signal.pause()
        finally:
            os._exit(0)
    os.wait()


def _signal(process: int) -> None:
    os.kill(process, 0)
    if process == 1:
        # An init in a namespace of its own may be signalled, but nothing comes of it; were it not
        # so, this would end the zygote and with it the proof.
        os.kill(process, signal.SIGKILL)
        raise ProcessLookupError(3, "ignored")


def _limits_of(process: int) -> None:
    import resource

    resource.prlimit(process, resource.RLIMIT_CORE)


def _private_files(*processes: int) -> list[str]:
    names = ("mem", "maps", "environ", "fd")
    return [f"/proc/{process}/{name}" for process in processes for name in names]


def _call(number: int, *arguments: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(number, *map(ctypes.c_long, arguments)) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _trace(process: int) -> None:
    _call(_CALLS[os.uname().machine][0], _PTRACE_SEIZE, process, 0, 0)


def _read_memory(process: int) -> None:
    """Read a byte of another process; process_vm_readv(2). A bad address means: it was allowed."""
    here = ctypes.create_string_buffer(1)

    class Span(ctypes.Structure):
        _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))

    local = Span(ctypes.addressof(here), 1)
    there = Span(4096, 1)
    number = _CALLS[os.uname().machine][1]
    try:
        _call(number, process, ctypes.addressof(local), 1, ctypes.addressof(there), 1, 0)
    except OSError as error:
        if error.errno != 14:  # EFAULT
            raise
