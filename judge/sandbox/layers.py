"""The operating system's layers around a submission, entered in the order that works.

`enter_zygote` and `enter_worker` are called once, by the zygote and by each worker, after all that
they import. They return the state of each layer by its name: "ok", "ok (abi 7)", "off",
"not needed (why)" or "missing: why". They never raise for a layer that is missing: what holds is
proved by the self-test, not by return codes.
"""

# The zygote boots faster without pathlib and all that it imports:
# ruff: noqa: PTH120

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import NamedTuple

from judge.sandbox import (
    capabilities,
    identity,
    kernel,
    landlock,
    namespaces,
    rlimits,
    root,
    seccomp,
    supervisor,
    sweep,
    syscalls,
)
from judge.sandbox.options import WorkerLimits, ZygoteOptions

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

DEVICES = ("/dev/null",)

LAST_DESCRIPTOR = 3
"""A worker keeps standard input, output and error, and the socket to the judge."""
_HIGH_DESCRIPTOR = 64


class _Layers:
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


_NO_SWEEP = sweep.Sweeper(everything=False)


class _Prepared(NamedTuple):
    """What the zygote makes once for all its workers."""

    sweeper: sweep.Sweeper = _NO_SWEEP
    rules: int = -1
    filter: seccomp.Filter | None = None


_prepared = _Prepared()


def readable_paths() -> list[str]:
    """Return what Python reads after the zygote has booted: its library, and NumPy's package."""
    found = {os.path.dirname(os.__file__)}
    if "numpy" in sys.modules:
        found.update(sys.modules["numpy"].__path__)
    # By both names where a link is on the way: modules are looked for by the one in sys.path.
    return sorted(found | {os.path.realpath(path) for path in found})


# ------------------------------------------------------------------------------- the zygote


def enter_zygote(options: ZygoteOptions) -> dict[str, str]:
    """Jail the zygote.

    Forks: the parent stays behind as supervisor, and this returns in the child.

    Args:
        options: layers to leave out.

    Returns:
        The state of each layer that the zygote enters.
    """
    global _prepared  # noqa: PLW0603 (made once, for the workers forked from this process)
    layers = _Layers(options.layers_off)
    # An init ignores signals that it has no handler for, and Python handles this one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    number = os.getpid()
    administrator = os.geteuid() == 0 and _holds_administration()
    if not administrator:
        _become_nobody(layers, number)
    _enter_namespaces(layers, administrator=administrator)
    children = _adopt_orphans(layers)
    if administrator:
        _become_nobody(layers, number)
    layers.enter("parent-death-signal", supervisor.die_with_parent)
    layers.enter("no-new-privileges", lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1))
    rules = _restrict_files(layers)
    layers.enter("capabilities", capabilities.drop)
    layers.enter("not-dumpable", kernel.hide_memory)
    _check_library()
    sweeper = _NO_SWEEP if "sweep" in layers.off else sweep.sweeper(children)
    _prepared = _Prepared(sweeper, rules, _prepare_filter())
    return layers.states


def _holds_administration() -> bool:
    try:
        return capabilities.holds(capabilities.CAP_SYS_ADMIN)
    except OSError:
        return False


def _become_nobody(layers: _Layers, number: int) -> None:
    """Become an unused user, as root: after the mounts where that works, before them elsewhere."""
    if os.geteuid() != 0:
        layers.spare("unused-user", "an ordinary user already")
        return

    def drop() -> None:
        with contextlib.suppress(OSError):
            # Refused to a root without CAP_SETPCAP; no new privileges come back all the same.
            capabilities.drop_bounding_set()
        identity.drop_to_unused(number)
        # setuid clears it, and with it the right to write this process's own files in /proc.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)

    layers.enter("unused-user", drop)


def _enter_namespaces(layers: _Layers, *, administrator: bool) -> None:
    if administrator:
        layers.spare("user-namespace", "root")
        allowed = True
    else:
        allowed = layers.enter("user-namespace", namespaces.enter_user)

    def enter(name: str, action: Callable[[], object]) -> bool:
        if allowed or name in layers.off:
            return layers.enter(name, action)
        layers.states[name] = "missing: needs a user namespace"
        return False

    judge = os.getppid()
    enter("process-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWPID))
    supervisor.split(judge)
    enter("network-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWNET))
    enter("ipc-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWIPC))
    enter("host-name-namespace", namespaces.enter_host_name)
    if enter("mount-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWNS)):
        layers.enter("own-root", lambda: root.enter(readable_paths(), DEVICES))
    else:
        off = "own-root" in layers.off
        layers.states["own-root"] = "off" if off else "missing: needs a mount namespace"


def _adopt_orphans(layers: _Layers) -> int:
    """Get ready to sweep; return the list of children where one is needed and to be had."""
    children = -1

    def adopt() -> None:
        nonlocal children
        sweep.adopt_orphans()
        if os.getpid() != 1:
            children = sweep.open_children()

    layers.enter("sweep", adopt)
    return children


def _restrict_files(layers: _Layers) -> int:
    rules = -1

    def restrict() -> str:
        nonlocal rules
        low = landlock.create(readable_paths(), DEVICES)
        # Out of the way of the worker, whose own descriptors come to stand on the first numbers.
        rules = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _HIGH_DESCRIPTOR)
        os.close(low)
        landlock.restrict(rules)
        return f"abi {landlock.abi()}"

    layers.enter("landlock", restrict)
    return rules


def _check_library() -> None:
    """End with a message where the user that this has become can't read Python's own library."""
    for path in readable_paths():
        try:
            os.scandir(path).close()
        except OSError as error:
            sys.exit(
                f"{path}: {error.strerror} for an unused user, and without a root of its own the "
                "sandbox reads Python from there; install Python where every user may read it"
            )


def _prepare_filter() -> seccomp.Filter | None:
    machine = syscalls.machine()
    return seccomp.prepare(machine) if machine in syscalls.ARCHITECTURES else None


# -------------------------------------------------------------------------------- the workers


def enter_worker(limits: WorkerLimits, options: ZygoteOptions) -> dict[str, str]:
    """Jail a worker further, before it reads the submission.

    Args:
        limits: what it may use.
        options: layers to leave out, as the zygote was told.

    Returns:
        The state of each layer that a worker enters; descriptors 0 to 3 are all it has left.
    """
    layers = _Layers(options.layers_off)
    layers.enter("parent-death-signal", supervisor.die_with_parent)
    layers.enter("own-session", os.setsid)
    layers.enter("limits", lambda: rlimits.enter(limits.address_space, limits.cpu_seconds))
    if _prepared.rules >= 0:
        # Where the zygote has none, it has said why.
        layers.enter("landlock", _restrict_again)
    layers.enter("descriptors", _close_descriptors)
    layers.enter("seccomp", _install_filter)
    return layers.states


def _close_descriptors() -> None:
    """Close all but the first; close_range(2), or one by one on kernels before 5.9."""
    first = LAST_DESCRIPTOR + 1
    try:
        kernel.call("close_range", first, (1 << 32) - 1, 0)
    except OSError:
        os.closerange(first, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _restrict_again() -> str:
    """Enter a domain of its own: signals and sockets of the zygote are out of it."""
    landlock.restrict(_prepared.rules)
    return f"abi {landlock.abi()}"


def _install_filter() -> str | None:
    if _prepared.filter is None:
        raise OSError(0, f"no table of calls for {syscalls.machine()}")
    seccomp.install(_prepared.filter.of(os.getpid()))
    return None if syscalls.machine() == "x86_64" else "unverified on this architecture"


def sweep_leftovers() -> int:
    """Kill and reap whatever a worker left behind; for the zygote, after each worker's end."""
    return _prepared.sweeper.sweep()
