"""Messages between judge and zygote: asking for a worker, and how it ended.

No worker holds an end of this socket, and still the judge checks what comes.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from judge.sandbox.wire import ProtocolError

_SPAWN = struct.Struct("=4sQI")
_STARTED = struct.Struct("=4si")
_ENDED = struct.Struct("=4sidQ")
CONTROL_SIZE: Final = max(_SPAWN.size, _STARTED.size, _ENDED.size)
MAX_BOOT: Final = 1 << 16


class Ended(NamedTuple):
    """How a worker ended, as wait4(2) tells.

    Args:
        status: wait status.
        cpu_s: user and system time in seconds.
        peak_bytes: largest resident set in bytes.
    """

    status: int
    cpu_s: float
    peak_bytes: int


def pack_boot(*, python: str, numpy: str, machine: str, layers: dict[str, str]) -> bytes:
    """Tell the judge that the zygote is ready: versions, and the state of each layer."""
    fields = [python, numpy, machine, *(f"{name}={state}" for name, state in layers.items())]
    return b"BOOT" + "\0".join(fields).encode("utf-8", "replace")


def unpack_boot(data: bytes) -> tuple[str, str, str, dict[str, str]]:
    """Read what `pack_boot` wrote; raises ProtocolError for anything else."""
    fields = data[4:].decode("utf-8", "replace").split("\0")
    if data[:4] != b"BOOT" or len(fields) < 3:
        raise ProtocolError("the zygote did not begin as a zygote does")
    python, numpy, machine, *layers = fields
    return python, numpy, machine, dict(map(split_state, layers))


def split_state(field: str) -> tuple[str, str]:
    """Split "landlock=ok (abi 7)" into a layer's name and its state."""
    name, _, state = field.partition("=")
    return name, state


def pack_spawn(memory: int, cpu_seconds: int) -> bytes:
    """Ask the zygote for a worker: bytes of memory beyond its own, seconds of CPU time."""
    return _SPAWN.pack(b"SPWN", memory, cpu_seconds)


def unpack_spawn(data: bytes) -> tuple[int, int]:
    """Read what `pack_spawn` wrote."""
    return _SPAWN.unpack(data)[1:]


def pack_started(pid: int) -> bytes:
    """Tell the judge that a worker runs; its pidfd goes along."""
    return _STARTED.pack(b"STRT", pid)


def unpack_started(data: bytes) -> int:
    """Read what `pack_started` wrote; raises ProtocolError for anything else."""
    if len(data) != _STARTED.size or data[:4] != b"STRT":
        raise ProtocolError("the zygote answered something else than a worker's start")
    pid: int = _STARTED.unpack(data)[1]
    return pid


def pack_ended(ended: Ended) -> bytes:
    """Tell the judge how a worker ended."""
    return _ENDED.pack(b"ENDD", ended.status, ended.cpu_s, ended.peak_bytes)


def unpack_ended(data: bytes) -> Ended:
    """Read what `pack_ended` wrote; raises ProtocolError for anything else."""
    if len(data) != _ENDED.size or data[:4] != b"ENDD":
        raise ProtocolError("the zygote answered something else than a worker's end")
    return Ended(*_ENDED.unpack(data)[1:])
