"""One worker with one submission: load it, call it, and never wait longer than allowed."""

from __future__ import annotations

import contextlib
import enum
import math
import os
import select
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

from judge.sandbox import wire
from judge.sandbox.control import Ended, split_state
from judge.sandbox.process import CONTROL_SECONDS, Sandbox, SandboxError, Worker
from judge.sandbox.wire import CALL_KINDS, LOAD_KINDS, Kind, ProtocolError, Reply, Wanted

OUTPUT_KEPT = 4096
"""Bytes of what a submission prints that are kept per case; the rest is only counted."""

_GRACE = 0.25
"""Seconds in which a worker that closed its socket may end by itself."""

_READ_AHEAD = 1 << 16
"""Bytes that are read at once: of small replies all, with header and elements."""

LARGEST_AHEAD = 1 << 15
"""Bytes of a request that is sent ahead; a socket's buffer holds several, so that none waits."""

_GAP = 0.05
"""Seconds between two calls that are the judge's own work."""

_NOTHING = Wanted(0, None, 0)


class Stop(enum.Enum):
    """Why a worker answers no more."""

    TIME = "time"
    OUTPUT = "output"
    ENDED = "ended"
    PROTOCOL = "protocol"


class Limits(NamedTuple):
    """What one submission may use in its sandbox.

    Args:
        memory: bytes of address space beyond what the interpreter and NumPy take.
        output: bytes printed.
        cpu_seconds: CPU time of one worker, a backstop behind the wall deadlines.
    """

    memory: int
    output: int
    cpu_seconds: int


class Exchange(NamedTuple):
    """What came of loading a submission or of one call.

    Args:
        reply: the worker's reply, or None when none came.
        stop: why none came.
        detail: what was wrong with the protocol.
        seconds: wall time by the judge's monotonic clock.
        output: the beginning of what was printed meanwhile.
    """

    reply: Reply | None
    stop: Stop | None
    detail: str
    seconds: float
    output: bytes


class _StoppedError(Exception):
    def __init__(self, stop: Stop, detail: str = "") -> None:
        super().__init__(detail)
        self.stop, self.detail = stop, detail


class Session:
    """The judge's end of one worker; after a `stop` it can only be ended.

    Args:
        sandbox: where to fork the worker.
        job: the submission.
        limits: what it may use.
        printed: bytes that earlier workers of the same submission printed.

    Raises:
        SandboxError: no worker could be started.
    """

    def __init__(self, sandbox: Sandbox, job: wire.Job, limits: Limits, printed: int = 0) -> None:
        self.layers: dict[str, str] = {}
        self.printed = printed
        self._limits = limits
        self._job = job
        self._kept = bytearray()
        self._unread = bytearray()
        self._ahead = False
        self._answered = 0.0
        self._deadline = 0.0
        self._printing = True
        self.ended_by_itself = False
        self._sandbox = sandbox
        self._worker: Worker = sandbox.spawn(limits.memory, limits.cpu_seconds)
        self._data = self._worker.data
        self._data_fd, self._output_fd = self._data.fileno(), self._worker.output
        self._poll = select.poll()
        self._poll.register(self._data_fd, select.POLLIN)
        self._poll.register(self._output_fd, select.POLLIN)

    def load(self, seconds: float) -> Exchange:
        """Import the submission.

        Args:
            seconds: wall time that it may take.

        Raises:
            SandboxError: the worker failed before it had read anything of the submission, or has
                other layers than those of which the self-test proved something.
        """
        hello = self._exchange(self._greet, CONTROL_SECONDS)
        if hello.reply is None:
            said = hello.output.decode("utf-8", "replace").strip()[-500:]
            raise SandboxError(f"a worker failed before it had read the submission: {said}")
        self.layers = dict(map(split_state, hello.reply.text))
        self._sandbox.check_layers(self.layers)
        return self._exchange(self._load, seconds)

    def call(
        self, request: bytes, wanted: Wanted, seconds: float, ahead: bytes | None = None
    ) -> Exchange:
        """Call the submission's function.

        Args:
            request: from `wire.pack_call`.
            wanted: the same that the request was packed with.
            seconds: wall time that it may take.
            ahead: the next call's request, for the worker to go on with while this call's reply is
                read and judged; at most `LARGEST_AHEAD` bytes, as this call's own. What it then
                prints may be taken for this call's.
        """
        sent, self._ahead = self._ahead, ahead is not None

        def ask() -> Reply:
            if not sent:
                # Whatever was sent meanwhile would be taken for this call's reply.
                self._check_quiet()
                self._send(request)
            if ahead is not None:
                self._send(ahead)
            return wire.read_reply(self._receive, wanted, CALL_KINDS)

        waited = time.monotonic() - self._answered if sent else 0.0
        exchange = self._exchange(ask, seconds)
        self._answered = time.monotonic()
        # It may have run since the last reply; a caller that took its time does not count.
        return exchange if waited > _GAP else exchange._replace(seconds=exchange.seconds + waited)

    def end(self) -> Ended:
        """End the worker and return how it ended and what it used; raises SandboxError."""
        return self._worker.end()

    @property
    def outlived(self) -> bool:
        """After `end`: whether some process that the worker started is still there."""
        return self._worker.outlived

    def _greet(self) -> Reply:
        return wire.read_reply(self._receive, _NOTHING, frozenset({Kind.LAYERS}))

    def _load(self) -> Reply:
        self._send(self._job.pack())
        return wire.read_reply(self._receive, _NOTHING, LOAD_KINDS)

    def _exchange(self, talk: Callable[[], Reply], seconds: float) -> Exchange:
        start = time.monotonic()
        self._deadline = start + seconds
        self._kept = bytearray()
        reply, stop, detail = None, None, ""
        try:
            reply = talk()
            elapsed = time.monotonic() - start
            self._check_quiet()
        except _StoppedError as stopped:
            elapsed = time.monotonic() - start
            reply, stop, detail = None, stopped.stop, stopped.detail
        except ProtocolError as error:
            elapsed = time.monotonic() - start
            reply, stop, detail = None, Stop.PROTOCOL, str(error)
        if stop is not None:
            self._finish(stop)
        return Exchange(reply, stop, detail, elapsed, bytes(self._kept))

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._data.send(view) :]
            except BlockingIOError:
                self._wait(sending=True)
            except OSError:
                raise _StoppedError(Stop.ENDED) from None

    def _receive(self, count: int) -> bytes | bytearray:
        """Return the next bytes; a small reply comes whole with one wait."""
        if count > _READ_AHEAD:
            return self._receive_large(count)
        while len(self._unread) < count:
            self._wait()
            self._unread += self._take(_READ_AHEAD)
        found = bytes(self._unread[:count])
        del self._unread[:count]
        return found

    def _receive_large(self, count: int) -> bytearray:
        buffer = self._unread[:count]
        del self._unread[:count]
        done = len(buffer)
        buffer += bytes(count - done)
        while done < count:
            self._wait()
            data = self._take(count - done)
            buffer[done : done + len(data)] = data
            done += len(data)
        return buffer

    def _take(self, most: int) -> bytes:
        """Return what is there, up to so many bytes; none when it was a false alarm."""
        try:
            data = self._data.recv(most)
        except BlockingIOError:
            return b""
        except OSError:
            raise _StoppedError(Stop.ENDED) from None
        if not data:
            raise _StoppedError(Stop.ENDED)
        return data

    def _wait(self, *, sending: bool = False) -> None:
        """Wait for the socket, reading what the worker prints, so that it is never held up."""
        if sending:
            self._poll.modify(self._data_fd, select.POLLIN | select.POLLOUT)
        try:
            while True:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    raise _StoppedError(Stop.TIME)
                ready = [fd for fd, _ in self._poll.poll(math.ceil(left * 1000))]
                if self._output_fd in ready:
                    self._drain()
                if self._data_fd in ready:
                    return
        finally:
            if sending:
                self._poll.modify(self._data_fd, select.POLLIN)

    def _drain(self) -> None:
        """Read what was printed: keep the beginning, count the rest."""
        while True:
            try:
                data = os.read(self._output_fd, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                # Nobody can print any more; a closed pipe would be ready for ever.
                if self._printing:
                    self._poll.unregister(self._output_fd)
                    self._printing = False
                return
            self.printed += len(data)
            self._kept += data[: OUTPUT_KEPT - len(self._kept)]
            if self.printed > self._limits.output:
                raise _StoppedError(Stop.OUTPUT)

    def _check_quiet(self) -> None:
        """Take what was printed, and make sure that the reply was all that was sent."""
        ready = [fd for fd, _ in self._poll.poll(0)]
        if self._output_fd in ready:
            self._drain()
        if self._ahead:
            # More is to come, and its time may be now.
            return
        more: bytes | bytearray = self._unread
        if self._data_fd in ready and not more:
            try:
                more = self._data.recv(1, socket.MSG_PEEK)
            except OSError:
                return
        if more:
            raise ProtocolError("more was sent than a reply")

    def _finish(self, stop: Stop) -> None:
        """Take what the worker printed last, and see how it ended before it is killed."""
        if stop is Stop.ENDED:
            self.ended_by_itself = self._worker.has_ended(_GRACE)
        self._worker.kill()
        self._worker.has_ended(1.0)
        with contextlib.suppress(_StoppedError):
            self._drain()
