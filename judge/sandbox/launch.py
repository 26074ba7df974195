"""Starting the zygote's process, with as few imports as that takes: all else waits for it.

Source: posix_spawn(3), socketpair(2), memfd_create(2).
"""

# No pathlib, subprocess, signal or socket: each takes longer to import than a process to start.
# ruff: noqa: PTH100, PTH120

from __future__ import annotations

import _socket
import fcntl
import os
import sys
import time
from importlib.machinery import PathFinder

CONTROL = 3
"""The zygote's descriptor of its end of the socket to the judge."""

_KEPT_ENVIRONMENT = (
    # Which kernels NumPy may use is a property of the machine, and some set it.
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NPY_DISABLE_CPU_FEATURES", "NVPL_BLAS_DEBUG_CPU_TYPE",
    "LD_LIBRARY_PATH",
)  # fmt: skip
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

# Out of the judge's session, since Ctrl-C is for the judge, which then ends its zygote; and out of
# whatever descriptors the judge was started with.
_BOOT = f"""
import os, sys
os.setsid()
os.chdir("/")
os.closerange({CONTROL + 1}, os.sysconf("SC_OPEN_MAX"))
sys.path.insert(0, sys.argv[1])
from judge.sandbox import zygote
zygote.main({CONTROL}, sys.argv[2].split(",") if sys.argv[2] else [], sys.argv[3],
            forks=sys.argv[4] == "forks")
"""


class SandboxError(Exception):
    """The judge's own side failed, never the submission; the message says what and where."""


class Child:
    """A process that this one started and has not waited for, as `subprocess.Popen` has them.

    Args:
        pid: its number, which nobody else gets until `wait` has returned.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        """Its exit code, or minus the signal that ended it; None before `wait`."""

    def send(self, number: int) -> None:
        """Send a signal; no harm if it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Wait for its end, and return the exit code."""
        if self.returncode is None:
            try:
                status = os.waitpid(self.pid, 0)[1]
            except ChildProcessError:
                status = 0  # SIGCHLD is ignored here, and nobody is told
            self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class Launched:
    """A zygote that is booting.

    Args:
        process: the process that was started.
        control: descriptor of the judge's end of the socket between them.
        errors: descriptor of a file without a name, which has what it writes to its stderr.
        forks: whether it forks workers, or becomes one.
    """

    def __init__(self, process: Child, control: int, errors: int, *, forks: bool) -> None:
        self.process = process
        self.control = control
        self.errors = errors
        self.forks = forks
        self.started = time.monotonic()


def can_fork() -> bool:
    """Tell whether a zygote may fork workers here (see `judge.sandbox.alone`)."""
    return sys.platform == "linux"


def launch(layers_off: frozenset[str] = frozenset(), *, forks: bool | None = None) -> Launched:
    """Start a zygote.

    Args:
        layers_off: names of layers to leave out.
        forks: whether it forks workers, or becomes one; by default whether it can.

    Raises:
        SandboxError: NumPy is not installed, or no process could be started.
    """
    if sys.platform == "win32":
        raise SandboxError(
            "Windows has nothing to isolate a submission with; run the judge in WSL2 "
            "(wsl --install), where it works as on any Linux"
        )
    forks = can_fork() if forks is None else forks
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, root]
    command += [",".join(sorted(layers_off)), _numpy_folder(), "forks" if forks else "alone"]
    try:
        return _from_lasting_thread(command, forks=forks)
    except OSError as error:
        raise SandboxError(f"the sandbox could not be started: {error}") from None


def _numpy_folder() -> str:
    """Return the folder that NumPy is imported from, without importing it here."""
    spec = PathFinder.find_spec("numpy")
    if spec is None or spec.origin is None:
        raise SandboxError("NumPy is not installed in this Python")
    return os.path.dirname(os.path.dirname(spec.origin))


def _from_lasting_thread(command: list[str], *, forks: bool) -> Launched:
    """Start it from a thread that lasts as long as this process.

    The zygote is killed when the thread that started it ends (PR_SET_PDEATHSIG(2const)), so a
    pool's short-lived threads must not be its parents.
    """
    threading = sys.modules.get("threading")
    if threading is None or threading.current_thread() is threading.main_thread():
        return start(command, forks=forks)
    from judge.sandbox.lasting import call

    return call(lambda: start(command, forks=forks))


def start(command: list[str], *, forks: bool) -> Launched:
    """Start a zygote's process from this thread; raises OSError."""
    # Messages are kept apart, or where there is no such socket (macOS) are a stream.
    kind = _socket.SOCK_SEQPACKET if forks else _socket.SOCK_STREAM
    control, theirs = _socket.socketpair(_socket.AF_UNIX, kind)
    errors, high = -1, -1
    try:
        errors = _scratch_file()
        # Out of the way of the numbers that the zygote's descriptors get.
        high = fcntl.fcntl(theirs.fileno(), fcntl.F_DUPFD_CLOEXEC, CONTROL + 1)
        pid = _spawn(command, high, errors)
    except BaseException:
        control.close()
        if errors >= 0:
            os.close(errors)
        raise
    finally:
        theirs.close()
        if high >= 0:
            os.close(high)
    return Launched(Child(pid), control.detach(), errors, forks=forks)


def _spawn(command: list[str], control: int, errors: int) -> int:
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return os.posix_spawn(
        command[0],
        command,
        {"PATH": "/usr/bin:/bin", **kept, **dict.fromkeys(_THREADS, "1")},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, errors, 1),
            (os.POSIX_SPAWN_DUP2, errors, 2),
            (os.POSIX_SPAWN_DUP2, control, CONTROL),
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        ],
    )


def _scratch_file() -> int:
    if hasattr(os, "memfd_create"):
        low = os.memfd_create("zygote-errors")
    else:
        import tempfile

        with tempfile.TemporaryFile() as file:
            low = os.dup(file.fileno())
    try:
        return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, CONTROL + 1)
    finally:
        os.close(low)
