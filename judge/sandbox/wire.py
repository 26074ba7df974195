"""Frames between judge and worker: fixed binary headers, bounded text, raw arrays.

The judge believes nothing that a worker sends. A reply is a fixed header, then sizes, line numbers
and text whose lengths are bounded, then the raw elements of an array if, and only if, the header
names the dtype and shape that the judge asked for. Every field is checked before anything is
allocated for it, and any violation is a `ProtocolError`.

Integers are in the machine's byte order: both ends are always the same machine.
"""

from __future__ import annotations

import builtins
import enum
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

PRIVATE_BUILTINS: Final = dict(vars(builtins))
"""What a worker uses instead of the module of builtins, which a submission can patch."""

# Functions defined below look their builtins up there.
globals()["__builtins__"] = PRIVATE_BUILTINS

DTYPES: Final = {"float64": 1, "int64": 2, "bool": 3}
DTYPE_NAMES: Final = {code: name for name, code in DTYPES.items()}
ITEM_SIZES: Final = {1: 8, 2: 8, 3: 1}
INT, FLOAT, BOOL, TEXT = 17, 18, 19, 20
"""Codes of arguments that are Python values; the codes of `DTYPES` are those of arrays."""

MAX_RANK: Final = 64
MAX_LINES: Final = 16
MAX_TEXT: Final = 4096
ANY_RANK: Final = 255

WORKER_SOCKET: Final = 3
"""A worker's descriptor of the socket to the judge."""

FILE_NAME: Final = "submission.py"
"""What a submission is called in its own tracebacks and warnings, whatever its path."""


class ProtocolError(Exception):
    """The worker sent something that the protocol has no place for."""


class Kind(enum.IntEnum):
    """What a worker's reply says."""

    LAYERS = 1
    READY = 2
    VALUE = 3
    WRONG_TYPE = 4
    WRONG_DTYPE = 5
    WRONG_SHAPE = 6
    EXCEPTION = 7
    MEMORY = 8
    EXIT = 9
    SYNTAX = 10
    MISSING_MODULE = 11
    NO_FUNCTION = 12
    SIGNATURE = 13


_KINDS: Final = {int(kind): kind for kind in Kind}

LOAD_KINDS: Final = frozenset(
    {Kind.READY, Kind.EXCEPTION, Kind.MEMORY, Kind.EXIT, Kind.SYNTAX, Kind.MISSING_MODULE,
     Kind.NO_FUNCTION, Kind.SIGNATURE}
)  # fmt: skip
CALL_KINDS: Final = frozenset(
    {Kind.VALUE, Kind.WRONG_TYPE, Kind.WRONG_DTYPE, Kind.WRONG_SHAPE, Kind.EXCEPTION, Kind.MEMORY,
     Kind.EXIT, Kind.MISSING_MODULE}
)  # fmt: skip


class Wanted(NamedTuple):
    """What a result must be for its elements to be sent.

    Args:
        dtype: its code in `DTYPES`, or 0 for any of them.
        shape: its shape, or None for any.
        max_bytes: the most bytes that its elements may take.
    """

    dtype: int
    shape: tuple[int, ...] | None
    max_bytes: int

    @staticmethod
    def exactly(dtype: str, shape: tuple[int, ...]) -> Wanted:
        """Ask for one dtype and one shape."""
        code = DTYPES[dtype]
        return Wanted(code, shape, ITEM_SIZES[code] * math.prod(shape))


class Reply(NamedTuple):
    """A checked reply.

    Args:
        kind: what it says.
        dtype: code of the result's dtype, for `VALUE`.
        shape: the result's shape, for every array.
        lines: line numbers in the submission, outermost first.
        text: its text fields, split; how many there are is up to the sender.
        changed: bit i is set when the worker saw argument i changed by the call.
        payload: the elements in C order, for `VALUE`.
    """

    kind: Kind
    dtype: int = 0
    shape: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    text: tuple[str, ...] = ()
    changed: int = 0
    payload: bytes | bytearray | None = None

    def field(self, index: int) -> str:
        """Return a text field, or "" where the sender gave fewer."""
        return self.text[index] if index < len(self.text) else ""


_REPLY = struct.Struct("=4sBBBBHHIQQ")
_REPLY_MAGIC = b"RPLY"
REPLY_SIZE: Final = _REPLY.size


def pack_reply(
    kind: Kind,
    *,
    dtype: int = 0,
    shape: Sequence[int] = (),
    lines: Sequence[int] = (),
    text: Sequence[str] = (),
    changed: int = 0,
    nbytes: int = 0,
) -> bytes:
    """Return a reply up to its elements; lines and text are cut to what a frame holds."""
    body = "\0".join(text).encode("utf-8", "replace")[:MAX_TEXT]
    kept = [min(max(line, 0), 0xFFFFFFFF) for line in lines[:MAX_LINES]]
    shape = shape[:MAX_RANK]
    header = _REPLY.pack(
        _REPLY_MAGIC, kind, dtype, len(shape), 0, len(kept), len(body), 0, changed, nbytes
    )
    return header + struct.pack(f"={len(shape)}Q{len(kept)}I", *shape, *kept) + body


def read_reply(
    receive: Callable[[int], bytes | bytearray], wanted: Wanted, allowed: frozenset[Kind]
) -> Reply:
    """Read and check one reply.

    Args:
        receive: returns exactly as many bytes as it is asked for, or raises.
        wanted: what the result must be for its elements to follow.
        allowed: the kinds that have a place here.

    Raises:
        ProtocolError: the bytes are no such reply.
    """
    magic, code, dtype, rank, zero, line_count, length, zeros, changed, nbytes = _REPLY.unpack(
        receive(_REPLY.size)
    )
    if magic != _REPLY_MAGIC or zero or zeros:
        raise ProtocolError("a reply does not begin as a reply does")
    kind = _KINDS.get(code)
    if kind is None or kind not in allowed:
        raise ProtocolError(f"a reply of kind {code} has no place here")
    if rank > MAX_RANK or line_count > MAX_LINES or length > MAX_TEXT:
        raise ProtocolError("a reply announces more than a reply can hold")
    if kind is not Kind.VALUE and nbytes:
        raise ProtocolError("elements were announced for a result that is not an array")
    tail = receive(8 * rank + 4 * line_count + length)
    numbers = struct.unpack_from(f"={rank}Q{line_count}I", tail)
    shape, lines = numbers[:rank], numbers[rank:]
    text = tail[8 * rank + 4 * line_count :].decode("utf-8", "replace")
    payload = None
    if kind is Kind.VALUE:
        _check_value(wanted, dtype, shape, nbytes)
        payload = receive(nbytes)
    fields = tuple(text.split("\0")) if text else ()
    return Reply(kind, dtype, shape, lines, fields, changed, payload)


def _check_value(wanted: Wanted, dtype: int, shape: tuple[int, ...], nbytes: int) -> None:
    if dtype not in ITEM_SIZES or wanted.dtype not in (0, dtype):
        raise ProtocolError(f"elements of dtype code {dtype} were not asked for")
    if wanted.shape is not None and shape != wanted.shape:
        raise ProtocolError(f"elements of shape {shape} were not asked for")
    if nbytes != ITEM_SIZES[dtype] * math.prod(shape) or nbytes > wanted.max_bytes:
        raise ProtocolError(f"{nbytes} bytes do not fit the shape {shape}")


_JOB = struct.Struct("=4sBIII")
_JOB_MAGIC = b"JOB1"
JOB_SIZE: Final = _JOB.size


class Job(NamedTuple):
    """What a worker is to load: the source, the function wanted in it, and how it is called."""

    source: bytes
    function: str
    parameters: tuple[str, ...]

    def pack(self) -> bytes:
        """Return the frame."""
        name = self.function.encode()
        parameters = ",".join(self.parameters).encode()
        header = _JOB.pack(
            _JOB_MAGIC, len(self.parameters), len(name), len(parameters), len(self.source)
        )
        return header + name + parameters + self.source


def read_job(receive: Callable[[int], bytes | bytearray]) -> Job:
    """Read a job (the worker's side, which trusts the judge)."""
    _, _, name, parameters, source = _JOB.unpack(receive(_JOB.size))
    body = bytes(receive(name + parameters + source))
    names = body[name : name + parameters].decode()
    return Job(
        source=body[name + parameters :],
        function=body[:name].decode(),
        parameters=tuple(names.split(",")) if names else (),
    )


_CALL = struct.Struct("=BBHIQII")
CALL_SIZE: Final = _CALL.size


def pack_call(arguments: Sequence[Any], wanted: Wanted) -> bytes:
    """Return the frame of one call: a header, a table of whole numbers, then the bytes of values.

    The arrays' bytes stand side by side, so that a worker compares them at once.

    Args:
        arguments: arrays of either kind of a dtype in `DTYPES`, and int, float, bool and str.
        wanted: what the result must be for its elements to be sent.
    """
    rank = ANY_RANK if wanted.shape is None else len(wanted.shape)
    table = list(wanted.shape or ())
    arrays: list[bytes] = []
    others: list[bytes] = []
    for value in arguments:
        code, shape, data = _pack_argument(value)
        table += [code, len(shape), len(data), *shape]
        (arrays if code in ITEM_SIZES else others).append(data)
    elements = b"".join(arrays)
    body = b"".join([struct.pack(f"={len(table)}q", *table), elements, *others])
    header = _CALL.pack(
        wanted.dtype, rank, len(arguments), len(table), wanted.max_bytes, len(elements), len(body)
    )
    return header + body


def _pack_argument(value: Any) -> tuple[int, tuple[int, ...], bytes]:
    if isinstance(value, bool):
        return BOOL, (), bytes([value])
    if isinstance(value, int):
        return INT, (), str(value).encode()
    if isinstance(value, float):
        return FLOAT, (), struct.pack("=d", value)
    if isinstance(value, str):
        return TEXT, (), value.encode("utf-8", "surrogatepass")
    return DTYPES[str(value.dtype)], tuple(value.shape), value.tobytes()


class Argument(NamedTuple):
    """Where one argument stands in a call's body: its code, shape, and span of bytes."""

    code: int
    shape: tuple[int, ...]
    start: int
    end: int


class Call(NamedTuple):
    """A call as the worker reads it.

    Args:
        body: all that came after the header.
        arguments: where each argument stands in it.
        elements: the bytes of all arrays, in the arguments' order.
        wanted: what the result must be for its elements to be sent.
    """

    body: bytes
    arguments: tuple[Argument, ...]
    elements: bytes
    wanted: Wanted


def read_call(receive: Callable[[int], bytes | bytearray]) -> Call:
    """Read a call (the worker's side, which trusts the judge)."""
    dtype, rank, count, numbers, max_bytes, nbytes, length = _CALL.unpack(receive(_CALL.size))
    body = bytes(receive(length))
    table = struct.unpack_from(f"={numbers}q", body)
    place = 0 if rank == ANY_RANK else rank
    shape = None if rank == ANY_RANK else table[:rank]
    first = start = 8 * numbers
    other = start + nbytes
    arguments = []
    for _ in range(count):
        code, axes, size = table[place : place + 3]
        place += 3
        if code in ITEM_SIZES:
            sizes = table[place : place + axes]
            place += axes
            arguments.append(Argument(code, sizes, start, start + size))
            start += size
        else:
            arguments.append(Argument(code, (), other, other + size))
            other += size
    wanted = Wanted(dtype, shape, max_bytes)
    return Call(body, tuple(arguments), body[first : first + nbytes], wanted)
