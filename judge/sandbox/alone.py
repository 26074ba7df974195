"""Where forking is not safe, every submission gets an interpreter of its own.

On macOS the system's libraries that NumPy computes with may not be used after a fork. There is also
nothing there to isolate with: of all layers only the limits remain, and nothing is proved. This
works on Linux too, where it is tested; on macOS itself it is untested.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
import time

from judge.sandbox.control import Ended
from judge.sandbox.launch import Child
from judge.sandbox.process import CONTROL_SECONDS, SandboxError, Worker

_STEP_SECONDS = 0.002
_LONGEST_STEP_SECONDS = 0.05


class LoneWorker(Worker):
    """A worker that is a child of the judge; there are no pidfds, so its end is asked for.

    Args:
        data: socket to the worker.
        output: descriptor of what it prints.
        process: the interpreter.
    """

    def __init__(self, data: socket.socket, output: int, process: Child) -> None:
        super().__init__(data, output, -1, _no_control)
        self._process = process
        self._usage: resource.struct_rusage | None = None
        self._status = 0

    def kill(self) -> None:
        """Kill it; no harm if it has ended."""
        if self._usage is None:
            self._process.send(signal.SIGKILL)

    def has_ended(self, seconds: float) -> bool:
        """Wait up to so many seconds for its end, and tell whether it came."""
        deadline = time.monotonic() + seconds
        step = _STEP_SECONDS
        while self._usage is None:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._status, self._usage = status, usage
                # Reaped here, for the usage: nobody may wait for the number again.
                self._process.returncode = os.waitstatus_to_exitcode(status)
                break
            if time.monotonic() >= deadline:
                return False
            time.sleep(step)
            step = min(2 * step, _LONGEST_STEP_SECONDS)
        return True

    def end(self) -> Ended:
        """Kill it if it runs, and return how it ended and what it used; raises SandboxError."""
        if self.ended is None:
            self.kill()
            ended = self.has_ended(CONTROL_SECONDS)
            self.data.close()
            os.close(self.output)
            if not ended or self._usage is None:
                raise SandboxError("a worker did not end when it was killed")
            # Bytes on macOS, KiB on Linux (getrusage(2) of each).
            unit = 1 if sys.platform == "darwin" else 1024
            cpu = self._usage.ru_utime + self._usage.ru_stime
            self.ended = Ended(self._status, cpu, self._usage.ru_maxrss * unit)
        return self.ended


def _no_control(seconds: float) -> bytes:
    raise SandboxError(f"there is no zygote to wait for {seconds:g} s for")
