"""The layers' names, and how each went: "ok", "off", "missing: why", "not needed (why)"."""

from __future__ import annotations

from collections.abc import Callable

LAYERS = (
    "user-namespace",
    "process-namespace",
    "network-namespace",
    "ipc-namespace",
    "host-name-namespace",
    "mount-namespace",
    "own-root",
    "unused-user",
    "parent-death-signal",
    "no-new-privileges",
    "landlock",
    "capabilities",
    "not-dumpable",
    "sweep",
    "own-session",
    "limits",
    "descriptors",
    "seccomp",
)
"""Every layer's name, in the order in which they are entered; each can be left out by its name."""

NAMESPACES = frozenset(
    {"user-namespace", "process-namespace", "network-namespace", "ipc-namespace",
     "host-name-namespace", "mount-namespace", "own-root"}
)  # fmt: skip
"""All that needs an administrator's rights or a user namespace: what containers leave out."""


class Layers:
    """Enters layers one by one and notes how each went."""

    def __init__(self, off: frozenset[str]) -> None:
        self.off = off
        self.states: dict[str, str] = {}

    def enter(self, name: str, action: Callable[[], object]) -> bool:
        """Enter a layer unless it is off; tell whether it is in force."""
        if name in self.off:
            self.states[name] = "off"
            return False
        try:
            result = action()
        except OSError as error:
            self.states[name] = f"missing: {error.strerror}"
            return False
        except ValueError as error:
            self.states[name] = f"missing: {error}"
            return False
        self.states[name] = f"ok ({result})" if isinstance(result, str) else "ok"
        return True

    def spare(self, name: str, why: str) -> None:
        """Note a layer that this role does not need."""
        self.states[name] = "off" if name in self.off else f"not needed ({why})"
