"""Frames: what one end packs the other reads; no bytes make the judge trust or wait too much."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from judge.sandbox import control, wire
from judge.sandbox.wire import CALL_KINDS, LOAD_KINDS, Kind, ProtocolError, Wanted

HEADER = wire.REPLY_SIZE
LARGEST_TAIL = 8 * wire.MAX_RANK + 4 * wire.MAX_LINES + wire.MAX_TEXT


class OutOfBytesError(Exception):
    """There was no more to read: over a socket, the deadline or the end of the worker."""


def reader(data: bytes) -> tuple[Callable[[int], bytearray], list[int]]:
    """Return a `receive` that gives out the bytes, and the sizes that it is asked for."""
    asked: list[int] = []
    position = 0

    def receive(count: int) -> bytearray:
        nonlocal position
        asked.append(count)
        if position + count > len(data):
            raise OutOfBytesError
        position += count
        return bytearray(data[position - count : position])

    return receive, asked


arrays = st.one_of(
    *(
        hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
        for dtype in wire.DTYPES
    )
)
values = st.one_of(
    arrays, st.integers(), st.floats(), st.booleans(), st.text(max_size=20), st.just(10**40)
)
shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)
wanteds = st.one_of(
    st.builds(Wanted.exactly, st.sampled_from(sorted(wire.DTYPES)), shapes),
    st.builds(Wanted, st.just(0), st.none(), st.integers(0, 1000)),
)


@given(st.lists(values, max_size=6), wanteds)
def test_a_call_arrives_as_it_was_packed(arguments: list[Any], wanted: Wanted) -> None:
    receive, _ = reader(wire.pack_call(arguments, wanted))
    call = wire.read_call(receive)
    assert call.wanted == wanted
    assert len(call.arguments) == len(arguments)
    for argument, value in zip(call.arguments, arguments, strict=True):
        data = call.body[argument.start : argument.end]
        if isinstance(value, np.ndarray):
            assert wire.DTYPE_NAMES[argument.code] == value.dtype.name
            assert (argument.shape, data) == (value.shape, value.tobytes())
        elif isinstance(value, bool):
            assert (argument.code, data) == (wire.BOOL, bytes([value]))
        elif isinstance(value, int):
            assert (argument.code, int(data)) == (wire.INT, value)
        elif isinstance(value, float):
            assert (argument.code, data) == (wire.FLOAT, struct.pack("=d", value))
        else:
            assert (argument.code, data.decode("utf-8", "surrogatepass")) == (wire.TEXT, value)


@given(st.binary(max_size=200), st.from_regex(r"[a-z_]{1,9}", fullmatch=True), st.integers(0, 5))
def test_a_job_arrives_as_it_was_packed(source: bytes, function: str, count: int) -> None:
    job = wire.Job(source, function, tuple(f"p{i}" for i in range(count)))
    receive, _ = reader(job.pack())
    assert wire.read_job(receive) == job


@given(arrays, st.integers(0, 2**64 - 1))
def test_a_result_arrives_as_it_was_packed(array: np.ndarray, changed: int) -> None:
    wanted = Wanted.exactly(array.dtype.name, array.shape)
    frame = wire.pack_reply(
        Kind.VALUE, dtype=wanted.dtype, shape=array.shape, changed=changed, nbytes=array.nbytes
    )
    receive, _ = reader(frame + array.tobytes())
    reply = wire.read_reply(receive, wanted, CALL_KINDS)
    assert (reply.shape, reply.changed) == (array.shape, changed)
    assert reply.payload == array.tobytes()


@given(
    st.lists(st.integers(-5, 2**40), max_size=40),
    st.lists(st.text(max_size=50).filter(lambda text: "\0" not in text), max_size=9),
)
def test_lines_and_text_arrive_cut_to_what_a_frame_holds(lines: list[int], text: list[str]) -> None:
    receive, _ = reader(wire.pack_reply(Kind.EXCEPTION, lines=lines, text=text))
    reply = wire.read_reply(receive, Wanted(0, None, 0), CALL_KINDS)
    kept = lines[: wire.MAX_LINES]
    assert reply.lines == tuple(min(max(line, 0), 2**32 - 1) for line in kept)
    if any(text) or len(text) > 1:
        assert list(reply.text) == [t.encode("utf-8", "replace").decode() for t in text]
    assert reply.field(len(reply.text)) == ""


@given(st.text(min_size=1, max_size=20), st.integers(5000, 6000))
def test_no_text_is_too_long_to_be_sent(part: str, length: int) -> None:
    text = (part * length)[:length]
    receive, asked = reader(wire.pack_reply(Kind.EXCEPTION, text=["Error", text]))
    wire.read_reply(receive, Wanted(0, None, 0), CALL_KINDS)
    assert max(asked) <= wire.MAX_TEXT


@st.composite
def forged(draw: st.DrawFn) -> bytes:
    """Bytes as a hostile worker sends them: near a reply in every field, and anything else."""
    kinds = st.one_of(st.sampled_from([int(kind) for kind in Kind]), st.integers(0, 255))
    sizes = st.one_of(st.integers(0, 6), st.integers(0, 2**64 - 1))
    rank = draw(st.one_of(st.integers(0, 5), st.integers(0, 255)))
    header = struct.pack(
        "=4sBBBBHHIQQ",
        draw(st.sampled_from([b"RPLY", b"RPLY", b"RPLY", b"ARR1"])),
        draw(kinds),
        draw(st.one_of(st.integers(0, 4), st.integers(0, 255))),
        rank,
        draw(st.sampled_from([0, 0, 0, 1])),
        draw(st.one_of(st.integers(0, 3), st.integers(0, 2**16 - 1))),
        draw(st.one_of(st.integers(0, 20), st.integers(0, 2**16 - 1))),
        draw(st.sampled_from([0, 0, 0, 7])),
        draw(st.integers(0, 2**64 - 1)),
        draw(st.one_of(st.integers(0, 800), sizes)),
    )
    dims = struct.pack(f"={min(rank, 8)}Q", *[draw(sizes) for _ in range(min(rank, 8))])
    return draw(
        st.one_of(
            st.binary(max_size=200),
            st.binary(max_size=900).map(lambda tail: header + dims + tail),
        )
    )


@given(forged(), wanteds, st.sampled_from([CALL_KINDS, LOAD_KINDS, frozenset({Kind.LAYERS})]))
def test_no_bytes_get_more_than_a_protocol_error(
    data: bytes, wanted: Wanted, allowed: frozenset[Kind]
) -> None:
    receive, asked = reader(data)
    try:
        reply = wire.read_reply(receive, wanted, allowed)
    except (ProtocolError, OutOfBytesError):
        reply = None
    # Whatever was announced: nothing is allocated beyond a header, its tail, and the case's result.
    assert all(count <= max(HEADER, LARGEST_TAIL, wanted.max_bytes) for count in asked)
    assert sum(asked) <= HEADER + LARGEST_TAIL + wanted.max_bytes
    if reply is not None and reply.payload is not None:
        assert wanted.shape in (None, reply.shape)
        assert wanted.dtype in (0, reply.dtype)
        size = math.prod(reply.shape) * wire.ITEM_SIZES[reply.dtype]
        assert len(reply.payload) == size <= wanted.max_bytes


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": 99}, "kind 99"),
        ({"kind": Kind.READY}, "has no place here"),
        ({"dtype": 2}, "dtype code 2"),
        ({"shape": (3, 2)}, r"shape \(3, 2\)"),
        ({"shape": (6,)}, r"shape \(6,\)"),
        ({"nbytes": 49}, "49 bytes do not fit"),
        ({"nbytes": 2**40}, "bytes do not fit"),
        ({"kind": Kind.EXCEPTION}, "not an array"),
    ],
)
def test_each_lie_of_a_header_is_told(change: dict[str, Any], complaint: str) -> None:
    fields = {"kind": Kind.VALUE, "dtype": 1, "shape": (2, 3), "nbytes": 48} | change
    receive, _ = reader(wire.pack_reply(**fields) + bytes(64))
    with pytest.raises(ProtocolError, match=complaint):
        wire.read_reply(receive, Wanted.exactly("float64", (2, 3)), CALL_KINDS)


@given(st.binary(max_size=40))
def test_the_zygote_is_not_believed_either(data: bytes) -> None:
    for unpack in (control.unpack_started, control.unpack_ended, control.unpack_boot):
        try:
            unpack(data)
        except ProtocolError:
            continue
        assert data[:4] in (b"STRT", b"ENDD", b"BOOT")


def test_what_the_zygote_says_arrives() -> None:
    ended = control.Ended(status=256, cpu_s=1.5, peak_bytes=2**40)
    assert control.unpack_ended(control.pack_ended(ended)) == ended
    assert control.unpack_started(control.pack_started(4711)) == 4711
    assert control.unpack_spawn(control.pack_spawn(2**40, 30)) == (2**40, 30)
    layers = {"landlock": "ok (abi 7)", "seccomp": "missing: a = b"}
    boot = control.pack_boot(python="3.11.7", numpy="2.4.6", machine="x86_64", layers=layers)
    assert control.unpack_boot(boot) == ("3.11.7", "2.4.6", "x86_64", layers)
