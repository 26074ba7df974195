"""The judge's side of the zygote: start it, ask it for workers, end it, and never wait for ever."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

from judge.sandbox import kernel
from judge.sandbox.control import (
    CONTROL_SIZE,
    MAX_BOOT,
    Ended,
    pack_spawn,
    unpack_boot,
    unpack_ended,
    unpack_started,
)
from judge.sandbox.launch import Launched, SandboxError, launch
from judge.sandbox.wire import ProtocolError

__all__ = ["BOOT_SECONDS", "CONTROL_SECONDS", "Boot", "Sandbox", "SandboxError", "Worker"]

BOOT_SECONDS = 60.0
"""Booting takes a tenth of a second; a machine so slow that it takes this long can't judge."""

CONTROL_SECONDS = 20.0
"""Forking a worker and reaping it take milliseconds."""

_END_SECONDS = 5.0


class Boot(NamedTuple):
    """What a zygote said when it was ready.

    Args:
        layers: state of each layer by name.
        python: the interpreter's version.
        numpy: NumPy's version.
        machine: the processor architecture.
        seconds: from start to ready.
    """

    layers: dict[str, str]
    python: str
    numpy: str
    machine: str
    seconds: float


class Worker:
    """One forked worker: the judge's ends of its socket and of its output, and its pidfd.

    Args:
        data: socket to the worker.
        output: descriptor of what it prints.
        pidfd: of its process.
        control: waits for the zygote's next message, so many seconds at most.
    """

    def __init__(
        self, data: socket.socket, output: int, pidfd: int, control: Callable[[float], bytes]
    ) -> None:
        self.data = data
        self.output = output
        self.pidfd = pidfd
        self.ended: Ended | None = None
        self.outlived = False
        """After `end`: whether some process still holds the worker's end of the socket."""
        self._control = control
        self._closed = False

    def kill(self) -> None:
        """Kill it; no harm if it has ended."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def has_ended(self, seconds: float) -> bool:
        """Wait up to so many seconds for its end, and tell whether it came."""
        return bool(select.select([self.pidfd], [], [], seconds)[0])

    def end(self) -> Ended:
        """Kill it if it runs, and return how it ended and what it used.

        Raises:
            SandboxError: the zygote does not tell.
        """
        if self.ended is None:
            if self._closed:
                raise SandboxError("the zygote did not tell how the worker ended")
            self._closed = True
            self.kill()
            try:
                self.ended = unpack_ended(self._control(CONTROL_SECONDS))
                self.outlived = not _hung_up(self.data)
            except ProtocolError as error:
                raise SandboxError(str(error)) from None
            finally:
                self.data.close()
                os.close(self.output)
                os.close(self.pidfd)
        return self.ended


class Sandbox:
    """One zygote. Start it early: it boots while the judge does other things.

    A sandbox runs one worker at a time. It is started again, once, when it fails to boot or to
    start a worker.

    Args:
        layers_off: names of layers to leave out, for tests and for measuring.
        forks: whether a zygote forks the workers, or every worker is an interpreter of its own
            without isolation; by default whether this is Linux (see `judge.sandbox.alone`).
        launched: a zygote that was started earlier, without any of these options.

    Raises:
        SandboxError: no process could be started.
    """

    def __init__(
        self,
        layers_off: frozenset[str] = frozenset(),
        *,
        forks: bool | None = None,
        launched: Launched | None = None,
    ) -> None:
        self.layers_off = layers_off
        self._forks = forks
        self._spent = False
        self._boot: Boot | None = None
        self._expected: dict[str, str] | None = None
        self._start(launched)

    @property
    def boot(self) -> Boot:
        """What the zygote said when it was ready; waits for it.

        Raises:
            SandboxError: it could not be started, twice.
        """
        if self._boot is None:
            try:
                self._boot = self._read_boot()
            except SandboxError:
                self.restart()
        assert self._boot is not None  # noqa: S101 (restart sets it or raises)
        return self._boot

    def restart(self) -> None:
        """End the zygote and start another; raises SandboxError when that one does not boot."""
        self._boot = None
        self.close()
        self._start(None)
        self._boot = self._read_boot()

    def spawn(self, memory: int, cpu_seconds: int) -> Worker:
        """Fork a worker.

        Args:
            memory: bytes of address space beyond what the interpreter and NumPy take.
            cpu_seconds: CPU time.

        Raises:
            SandboxError: the zygote failed, and so did another one.
        """
        if self._spent:
            self.restart()
        _ = self.boot
        try:
            return self._spawn(memory, cpu_seconds)
        except (SandboxError, OSError):
            self.restart()
        try:
            return self._spawn(memory, cpu_seconds)
        except OSError as error:
            raise SandboxError(f"no worker could be started: {error}") from None

    def expect_layers(self, layers: dict[str, str]) -> None:
        """Accept no worker from now on whose layers are other than these, which were proved."""
        self._expected = layers

    def check_layers(self, worker: dict[str, str]) -> None:
        """Compare a worker's layers with those of the self-test, which proved something.

        Args:
            worker: the state of each layer that the worker entered, by name.

        Raises:
            SandboxError: they differ, so that nothing is known of what holds.
        """
        states = {**self.boot.layers, **worker}
        if self._expected is None or states == self._expected:
            return
        changed = [
            f"{name}: {self._expected.get(name, 'none')} then, {states.get(name, 'none')} now"
            for name in sorted(self._expected.keys() | states.keys())
            if self._expected.get(name) != states.get(name)
        ]
        raise SandboxError("layers differ from those of the self-test: " + "; ".join(changed))

    def begin_close(self) -> None:
        """Have the zygote end while the caller goes on; `close` waits for that."""
        self._process.send(signal.SIGTERM)

    def close(self) -> None:
        """End the zygote and everything under it."""
        self._control.close()
        self._forget_errors()
        if self._process.returncode is not None:
            return
        # Asked first, so that it ends what is under it before it ends itself.
        self._process.send(signal.SIGTERM)
        if not self.forks or not _ends_within(self._process.pid, _END_SECONDS):
            self._process.send(signal.SIGKILL)
        self._process.wait()

    def _forget_errors(self) -> None:
        if self._launched.errors >= 0:
            os.close(self._launched.errors)
            self._launched.errors = -1

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, launched: Launched | None) -> None:
        self._spent = False
        self._launched = launched or launch(self.layers_off, forks=self._forks)
        self.forks = self._launched.forks
        self._control = socket.socket(fileno=self._launched.control)
        self._process = self._launched.process
        if self.forks and "not-dumpable" not in self.layers_off:
            # This process will have the answers, and its user may be the worker's.
            with contextlib.suppress(OSError):
                kernel.hide_memory()

    def _read_boot(self) -> Boot:
        if self._control.fileno() < 0:
            raise SandboxError("the sandbox is not running")
        try:
            message = self._receive(BOOT_SECONDS, MAX_BOOT)
            python, numpy, machine, layers = unpack_boot(message)
        except (SandboxError, ProtocolError) as error:
            raise SandboxError(f"the sandbox did not boot: {error}{self._said()}") from None
        return Boot(layers, python, numpy, machine, time.monotonic() - self._launched.started)

    def _spawn(self, memory: int, cpu_seconds: int) -> Worker:
        data, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            output, printed = os.pipe()
        except OSError:
            data.close()
            theirs.close()
            raise
        try:
            request = pack_spawn(memory, cpu_seconds)
            socket.send_fds(self._control, [request], [theirs.fileno(), printed])
            pidfd = self._receive_pidfd() if self.forks else -1
        except (SandboxError, OSError):
            data.close()
            os.close(output)
            raise
        finally:
            theirs.close()
            os.close(printed)
        data.setblocking(False)
        os.set_blocking(output, False)
        if not self.forks:
            from judge.sandbox.alone import LoneWorker

            self._spent = True
            return LoneWorker(data, output, self._process)
        return Worker(data, output, pidfd, self._receive)

    def _receive_pidfd(self) -> int:
        self._await(CONTROL_SECONDS)
        data, descriptors, _, _ = socket.recv_fds(self._control, CONTROL_SIZE, 1)
        try:
            unpack_started(data)
        except ProtocolError as error:
            for descriptor in descriptors:
                os.close(descriptor)
            raise SandboxError(f"{error if data else 'the zygote ended'}{self._said()}") from None
        if not descriptors:
            raise SandboxError("the zygote sent no pidfd (are descriptors exhausted?)")
        return descriptors[0]

    def _receive(self, seconds: float, size: int = CONTROL_SIZE) -> bytes:
        self._await(seconds)
        try:
            data = self._control.recv(size)
        except OSError as error:
            raise SandboxError(f"the zygote is gone: {error.strerror}") from None
        if not data:
            raise SandboxError("the zygote ended")
        return data

    def _await(self, seconds: float) -> None:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if not poll.poll(seconds * 1000):
            raise SandboxError(f"the zygote did not answer within {seconds:g} s")

    def _said(self) -> str:
        """Return the end of what the zygote wrote to its standard error, for the message."""
        try:
            text = os.pread(self._launched.errors, 1 << 16, 0).decode("utf-8", "replace").strip()
        except OSError:
            return ""
        return f"; it said: {text[-500:]}" if text else ""


def _hung_up(data: socket.socket) -> bool:
    """Tell whether nobody holds the other end any more; poll(2) always reports POLLHUP."""
    poll = select.poll()
    poll.register(data, 0)
    return bool(poll.poll(0))


def _ends_within(pid: int, seconds: float) -> bool:
    """Wait for a child without polling; true when it has ended and can be reaped."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], seconds)[0])
    finally:
        os.close(pidfd)
