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
from judge.sandbox.states import Layers

DEVICES = ("/dev/null",)

LAST_DESCRIPTOR = 3
"""A worker keeps standard input, output and error, and the socket to the judge."""
_HIGH_DESCRIPTOR = 64


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
    layers = Layers(options.layers_off)
    # An init ignores signals that it has no handler for, and Python handles this one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    number = os.getpid()
    administrator = os.geteuid() == 0 and _holds_administration()
    if not administrator:
        _become_nobody(layers, number)
    may_unshare = _enter_user_namespace(layers, administrator=administrator)
    _enter_process_namespace(layers, may_unshare)
    children = _adopt_orphans(layers)
    _enter_other_namespaces(layers, may_unshare)
    # After the mounts, so that what only root may reach can be kept in sight; and then the
    # supervisor stays root, and no process but the zygote and its workers has this user.
    own_user = administrator and _become_nobody(layers, number)
    layers.enter("parent-death-signal", supervisor.die_with_parent)
    layers.enter("no-new-privileges", lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1))
    rules = _restrict_files(layers)
    layers.enter("capabilities", capabilities.drop)
    layers.enter("not-dumpable", kernel.hide_memory)
    _check_library()
    swept = "sweep" not in layers.off
    sweeper = sweep.sweeper(children, own_user=own_user) if swept else _NO_SWEEP
    _prepared = _Prepared(sweeper, rules, _prepare_filter())
    return layers.states


def _holds_administration() -> bool:
    try:
        return capabilities.holds(capabilities.CAP_SYS_ADMIN)
    except OSError:
        return False


def _become_nobody(layers: Layers, number: int) -> bool:
    """Become an unused user, as root; tell whether that user is nobody else, here and now."""
    if os.geteuid() != 0:
        layers.spare("unused-user", "an ordinary user already")
        return False

    def drop() -> None:
        with contextlib.suppress(OSError):
            # Refused to a root without CAP_SETPCAP; no new privileges come back all the same.
            capabilities.drop_bounding_set()
        identity.drop_to_unused(number)
        # setuid clears it, and with it the right to write this process's own files in /proc.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)

    return layers.enter("unused-user", drop) and os.getuid() == identity.FIRST_UID + number


def _enter_user_namespace(layers: Layers, *, administrator: bool) -> bool:
    """Tell whether this process may make the other namespaces, by itself or in one of its own."""
    if administrator:
        layers.spare("user-namespace", "root")
        return True
    return layers.enter("user-namespace", namespaces.enter_user)


def _enter_namespace(
    layers: Layers, name: str, action: Callable[[], object], *, may_unshare: bool
) -> bool:
    if may_unshare or name in layers.off:
        return layers.enter(name, action)
    layers.states[name] = "missing: needs a user namespace"
    return False


def _enter_process_namespace(layers: Layers, may_unshare: bool) -> None:
    """Enter it where that may be, and fork in any case: the child is the zygote."""
    judge = os.getppid()
    _enter_namespace(
        layers,
        "process-namespace",
        lambda: namespaces.enter(namespaces.CLONE_NEWPID),
        may_unshare=may_unshare,
    )
    supervisor.split(judge)


def _enter_other_namespaces(layers: Layers, may_unshare: bool) -> None:
    def enter(name: str, action: Callable[[], object]) -> bool:
        return _enter_namespace(layers, name, action, may_unshare=may_unshare)

    enter("network-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWNET))
    enter("ipc-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWIPC))
    enter("host-name-namespace", namespaces.enter_host_name)
    if enter("mount-namespace", lambda: namespaces.enter(namespaces.CLONE_NEWNS)):
        layers.enter("own-root", lambda: root.enter(readable_paths(), DEVICES))
    else:
        off = "own-root" in layers.off
        layers.states["own-root"] = "off" if off else "missing: needs a mount namespace"


def _adopt_orphans(layers: Layers) -> int:
    """Get ready to sweep; return the list of children where one is needed and to be had."""
    children = -1

    def adopt() -> None:
        nonlocal children
        sweep.adopt_orphans()
        if os.getpid() != 1:
            children = sweep.open_children()

    layers.enter("sweep", adopt)
    return children


def _restrict_files(layers: Layers) -> int:
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
    layers = Layers(options.layers_off)
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
