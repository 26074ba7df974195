"""A sandbox that boots while the rest of a program is imported.

`judge run` then takes little longer than importing NumPy, which both do at the same time.
"""

from __future__ import annotations

from judge.sandbox.launch import Launched, SandboxError, launch

TYPE_CHECKING = False  # typing would be imported for this alone
if TYPE_CHECKING:
    from judge.sandbox.process import Sandbox

_started: list[Launched] = []


def start() -> None:
    """Start a sandbox for the first that asks; a failure is told to those who ask."""
    if not _started:
        try:  # noqa: SIM105 (contextlib would be imported for this alone)
            _started.append(launch())
        except SandboxError:
            pass


def take() -> Sandbox:
    """Return the sandbox started earlier, or a new one.

    Raises:
        SandboxError: no process could be started.
    """
    from judge.sandbox.process import Sandbox

    return Sandbox(launched=_started.pop() if _started else None)


def close_unused() -> None:
    """End a sandbox that nobody asked for."""
    while _started:
        take().close()
