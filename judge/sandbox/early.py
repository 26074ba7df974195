"""A sandbox that boots while the rest of a program is imported.

`judge run` then takes little longer than importing NumPy, which both do at the same time.
"""

from __future__ import annotations

import contextlib

from judge.sandbox.process import Sandbox, SandboxError

_started: list[Sandbox] = []


def start() -> None:
    """Start a sandbox for the first that asks; a failure is told to those who ask."""
    if not _started:
        with contextlib.suppress(SandboxError):
            _started.append(Sandbox())


def take() -> Sandbox:
    """Return the sandbox started earlier, or a new one.

    Raises:
        SandboxError: no process could be started.
    """
    return _started.pop() if _started else Sandbox()


def close_unused() -> None:
    """End a sandbox that nobody asked for."""
    while _started:
        _started.pop().close()
