"""Starting the zygote's process: its command, its environment, the thread that is its parent."""

from __future__ import annotations

import importlib.machinery
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

_KEPT_ENVIRONMENT = (
    # Which kernels NumPy may use is a property of the machine, and some set it.
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NPY_DISABLE_CPU_FEATURES", "NVPL_BLAS_DEBUG_CPU_TYPE",
    "LD_LIBRARY_PATH",
)  # fmt: skip

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from judge.sandbox import zygote; "
    "zygote.main(int(sys.argv[2]), sys.argv[3].split(',') if sys.argv[3] else [], sys.argv[4], "
    "forks=sys.argv[5] == 'forks')"
)


class SandboxError(Exception):
    """The judge's own side failed, never the submission; the message says what and where."""


def launch(
    control: int, errors: IO[bytes], *, layers_off: frozenset[str], forks: bool
) -> subprocess.Popen[bytes]:
    """Start a zygote.

    Args:
        control: descriptor of its end of the socket to the judge.
        errors: where it writes what it has to say.
        layers_off: names of layers to leave out.
        forks: whether it forks workers, or becomes one.

    Raises:
        SandboxError: NumPy is not installed.
        OSError: no process could be started.
    """
    root = str(Path(__file__).parent.parent.parent)
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, root]
    command += [str(control), ",".join(sorted(layers_off)), _numpy_folder()]
    command.append("forks" if forks else "alone")
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return _from_lasting_thread(
        lambda: subprocess.Popen(
            command,
            pass_fds=[control],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            env={"PATH": "/usr/bin:/bin", **kept, **one},
            cwd="/",
            # Ctrl-C is for the judge, which then ends its zygote.
            start_new_session=True,
        )
    )


def _numpy_folder() -> str:
    """Return the folder that NumPy is imported from, without importing it here."""
    spec = importlib.machinery.PathFinder.find_spec("numpy")
    if spec is None or spec.origin is None:
        raise SandboxError("NumPy is not installed in this Python")
    return str(Path(spec.origin).parent.parent)


_Start = Callable[[], subprocess.Popen[bytes]]
_requests: SimpleQueue[tuple[_Start, SimpleQueue[Any]]] = SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def _from_lasting_thread(start: _Start) -> subprocess.Popen[bytes]:
    """Start a process from a thread that lasts as long as this process.

    The zygote is killed when the thread that started it ends (PR_SET_PDEATHSIG(2const)), so a
    pool's short-lived threads must not be its parents.
    """
    global _thread  # noqa: PLW0603
    if threading.current_thread() is threading.main_thread():
        return start()
    with _lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_serve_starts, name="zygote-starter", daemon=True)
            _thread.start()
    answer: SimpleQueue[subprocess.Popen[bytes] | OSError] = SimpleQueue()
    _requests.put((start, answer))
    result = answer.get()
    if isinstance(result, OSError):
        raise result
    return result


def _serve_starts() -> None:
    while True:
        start, answer = _requests.get()
        try:
            answer.put(start())
        except OSError as error:
            answer.put(error)


def scratch_file() -> IO[bytes]:
    """Return a file without a name; tempfile would cost more to import than the zygote to start."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("zygote-errors"), "w+b", buffering=0)
    import tempfile

    return tempfile.TemporaryFile()
