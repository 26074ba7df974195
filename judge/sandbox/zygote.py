"""The zygote: a fresh interpreter that has imported NumPy, holds no cases, and forks the workers.

Forking from it costs a millisecond or two where importing NumPy costs seventy. It is a process of
its own because a fork of the judge would inherit the answers. It never reads what a worker sends.
"""

# The zygote boots faster without pathlib and all that it imports:
# ruff: noqa: PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import importlib.machinery
import os
import resource
import select
import signal
import site
import socket
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from judge.sandbox import layers, wire
from judge.sandbox.control import (
    CONTROL_SIZE,
    Ended,
    pack_boot,
    pack_ended,
    pack_started,
    unpack_spawn,
)
from judge.sandbox.options import WorkerLimits, ZygoteOptions
from judge.sandbox.states import LAYERS

IMPORTED = ("numpy", "numpy.linalg", "numpy.linalg.lapack_lite")
"""What every worker finds imported."""

COMPILED = (
    "_bisect", "_blake2", "_contextvars", "_csv", "_datetime", "_decimal", "_hashlib", "_heapq",
    "_opcode", "_pickle", "_posixsubprocess", "_random", "_sha2", "_sha512", "_statistics",
    "_struct", "array", "binascii", "cmath", "fcntl", "grp", "math", "mmap", "resource", "select",
    "unicodedata", "zlib",
)  # fmt: skip
COMPILED_PACKAGES = ("fft", "random")
"""Compiled modules that the standard library and parts of NumPy load.

A worker can bring no more code into memory, so it is all there before; but to import it, which
takes ten times as long, is left to those who use it. Which of them are modules of their own differs
between builds of Python; others are passed over.
"""

WHEN_IDLE = (
    "numpy.random", "numpy.fft", "dataclasses", "decimal", "fractions", "random", "statistics",
    "copy", "string", "json", "heapq", "bisect", "difflib", "pprint", "timeit", "traceback",
    "logging", "csv", "numpy.ma", "numpy.polynomial", "numpy.typing", "numpy.lib.stride_tricks",
)  # fmt: skip
"""Modules that solutions import: loaded while there is nothing else to do."""

_FIRST_WORKERS = 2
"""A judge of one submission has these, one for the self-test; a third says that more will come."""

_PRACTICE = 24
"""Times that code is run so that Python makes it faster (PEP 659)."""

_PATIENCE_SECONDS = 0.05
"""Without a request for so long there is nothing else to do."""


def main(control: int, layers_off: list[str], libraries: str, *, forks: bool) -> NoReturn:
    """Boot, tell the judge, and fork a worker for each request until the judge is gone.

    Args:
        control: descriptor of the socket to the judge.
        layers_off: names of layers to leave out.
        libraries: the folder that holds NumPy; submissions can import nothing else from it.
        forks: whether to fork workers, or to become the one worker (see `judge.sandbox.alone`).
    """
    # Nothing made while booting is garbage; workers collect theirs.
    gc.disable()
    options = ZygoteOptions(frozenset(layers_off), control)
    standard = list(sys.path)
    sys.path.append(libraries)
    _preload()
    from judge.sandbox import worker  # not before NumPy can be found

    sys.path[:] = [path for path in standard if path != _package_root()]
    sys.argv[:] = [wire.FILE_NAME]
    sys.dont_write_bytecode = True
    baseline = _address_space()
    if forks:
        states = layers.enter_zygote(options)
    else:
        states = dict.fromkeys(LAYERS, "missing: needs Linux") | {"limits": "ok"}
    own = _take_own_modules()
    gc.freeze()
    channel = socket.socket(fileno=control)
    channel.sendall(_boot_message(states))
    later = _Later(WHEN_IDLE if forks else (), worker.practise)
    zygote = _Zygote(channel, options, worker.serve, own)
    workers = 0
    while True:
        later.while_idle(channel)
        request, descriptors, _, _ = socket.recv_fds(channel, CONTROL_SIZE, 2)
        if not request:
            os._exit(0)
        memory, cpu_seconds = unpack_spawn(request)
        limits = WorkerLimits(baseline + memory, cpu_seconds)
        if not forks:
            _limit_alone(limits)
            zygote.become_worker(descriptors, lambda: {"limits": "ok"})
        if workers >= _FIRST_WORKERS:
            later.now()
        workers += 1
        zygote.run_worker(descriptors, limits)


def _take_own_modules() -> list[ModuleType]:
    """Take this program out of what a submission can import, and keep it alive.

    Once here rather than in every worker: a fork pays for each page that it writes to.
    """
    names = [name for name in sys.modules if name.split(".")[0] == "judge"]
    return [sys.modules.pop(name) for name in names]


def _preload() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    numpy = sys.modules["numpy"]
    _map_compiled(numpy.__path__[0])
    _warm_up(numpy.eye(4))
    # `exit` and `help` are names that a program run from a file has.
    site.setquit()
    site.sethelper()
    for stream in (sys.stdout, sys.stderr):
        # So that what was printed before a crash is seen.
        stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]


def _map_compiled(numpy: str) -> None:
    """Bring the code of compiled modules into memory; dlopen(3) finds it there later."""
    for name in COMPILED:
        spec = None if name in sys.modules else importlib.machinery.PathFinder.find_spec(name)
        if spec is not None and spec.origin is not None:
            _map(spec.origin)
    endings = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    for package in COMPILED_PACKAGES:
        folder = os.path.join(numpy, package)
        for name in os.listdir(folder):
            if name.endswith(endings):
                _map(os.path.join(folder, name))


def _map(path: str) -> None:
    with contextlib.suppress(OSError):
        ctypes.CDLL(path)


def _warm_up(x: Any) -> None:
    """Use what solutions use once: first uses find code and tables, which workers then inherit."""
    np = sys.modules["numpy"]
    np.linalg.inv(x @ x)
    np.einsum("ij,jk->ik", x, x)
    y = np.exp(x - x.max(axis=-1, keepdims=True))
    y /= y.sum(axis=-1, keepdims=True)
    y = (y - y.mean(axis=-1, keepdims=True)) / np.sqrt(y.var(axis=-1, keepdims=True) + 1.0)
    y = np.maximum(y.reshape(2, 2, 4).transpose(1, 0, 2) * y[0] + y[1], 0.0)
    np.where(np.concatenate([y, y]) > 0.0, 1.0, -0.0).swapaxes(0, 1).copy().tobytes()
    np.stack(np.split(x, 2)).astype(bool).all()


class _Later:
    """What makes later workers faster, and is not to keep the first ones waiting.

    Args:
        names: modules to import.
        practise: to be called when they are imported.
    """

    def __init__(self, names: Iterable[str], practise: Callable[[], None]) -> None:
        self._names = list(names)[::-1]
        self._practise = practise

    def while_idle(self, channel: socket.socket) -> None:
        """Go on, one module at a time, until the judge asks for a worker on the channel."""
        while self._names and not select.select([channel], [], [], _PATIENCE_SECONDS)[0]:
            self._step()

    def now(self) -> None:
        """Do all that is left."""
        while self._names:
            self._step()

    def _step(self) -> None:
        with contextlib.suppress(ImportError):
            importlib.import_module(self._names.pop())
        if not self._names:
            self._practise()
            for _ in range(_PRACTICE):
                _warm_up(sys.modules["numpy"].eye(4))
            gc.collect()
            gc.freeze()


def _package_root() -> str:
    return os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


def _address_space() -> int:
    """Return the bytes of address space taken, in which RLIMIT_AS counts (proc_pid_statm(5))."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _boot_message(states: dict[str, str]) -> bytes:
    numpy = sys.modules["numpy"]
    return pack_boot(
        python=".".join(map(str, sys.version_info[:3])),
        numpy=numpy.__version__,
        machine=os.uname().machine,
        layers=states,
    )


class _Zygote(NamedTuple):
    """What it takes to make a worker.

    Args:
        channel: socket to the judge.
        options: layers to leave out.
        serve: what a worker does; never returns.
        own: the judge's modules, kept alive.
    """

    channel: socket.socket
    options: ZygoteOptions
    serve: Callable[[dict[str, str]], NoReturn]
    own: list[ModuleType]

    def run_worker(self, descriptors: list[int], limits: WorkerLimits) -> None:
        """Fork a worker, hand its pidfd to the judge, wait for its end, and report it."""
        pid = os.fork()
        if pid == 0:
            self.become_worker(descriptors, lambda: layers.enter_worker(limits, self.options))
        for descriptor in descriptors:
            os.close(descriptor)
        pidfd = os.pidfd_open(pid)
        try:
            socket.send_fds(self.channel, [pack_started(pid)], [pidfd])
            _wait(self.channel, pidfd)
            _, status, usage = os.wait4(pid, 0)
        finally:
            os.close(pidfd)
        # Linux counts the resident set in KiB (getrusage(2)).
        ended = Ended(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
        layers.sweep_leftovers()
        self.channel.sendall(pack_ended(ended))

    def become_worker(
        self, descriptors: list[int], enter: Callable[[], dict[str, str]]
    ) -> NoReturn:
        """Turn this process into a worker that has its own descriptors only."""
        try:
            # Out of the way first, so that no dup2 closes what another still needs.
            data, output = (fcntl.fcntl(fd, fcntl.F_DUPFD, 64) for fd in descriptors)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.dup2(data, wire.WORKER_SOCKET)
            self.serve(enter())
        except BaseException:  # noqa: BLE001 (a fork must never run its parent's code)
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(70)


def _wait(channel: socket.socket, pidfd: int) -> None:
    """Wait until the worker has ended, or end it when the judge has gone."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    poll.register(channel, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if pidfd in ready:
            return
        # The judge sends nothing while a worker runs: the socket is readable at its end only.
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        os._exit(0)


def _limit_alone(limits: WorkerLimits) -> None:
    """Set the limits that every Unix has; on macOS that of the address space has no effect."""
    for kind, value in (
        (resource.RLIMIT_AS, limits.address_space),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (value, value))
