"""Resource limits of one worker, each soft and hard, so that none can be raised; setrlimit(2)."""

from __future__ import annotations

import resource

NO_FILE_SIZE = 0
OPEN_FILES = 64
STACK = 64 << 20


def limits(address_space: int, cpu_seconds: int) -> dict[int, tuple[int, int]]:
    """Return the limits by `resource.RLIMIT_…`.

    Args:
        address_space: bytes, those of the interpreter and NumPy included; beyond it, malloc fails
            (MemoryError).
        cpu_seconds: seconds of CPU time; then SIGXCPU, and SIGKILL a second later.
    """
    return {
        resource.RLIMIT_AS: (address_space, address_space),
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 1),
        resource.RLIMIT_FSIZE: (NO_FILE_SIZE, NO_FILE_SIZE),  # bytes; pipes don't count
        resource.RLIMIT_NOFILE: (OPEN_FILES, OPEN_FILES),
        resource.RLIMIT_NPROC: (0, 0),  # of this user; root would be exempt, hence the uid drop
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_STACK: (STACK, STACK),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_SIGPENDING: (64, 64),
    }


def enter(address_space: int, cpu_seconds: int) -> None:
    """Set every limit of `limits`; raises OSError or ValueError when one is refused."""
    for kind, pair in limits(address_space, cpu_seconds).items():
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, pair if hard == resource.RLIM_INFINITY else _within(pair, hard))


def _within(pair: tuple[int, int], hard: int) -> tuple[int, int]:
    """Lower a limit to one that is already in force, as in a container started with `--ulimit`."""
    return min(pair[0], hard), min(pair[1], hard)
