"""An interpreter of the classic BPF that seccomp filters are written in; seccomp(2), bpf(4)."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from judge.sandbox import bpf


def data(number: int, architecture: int, arguments: Sequence[int] = ()) -> bytes:
    """Return `struct seccomp_data` of a call: number, architecture, no pointer, six arguments."""
    six = [argument & (1 << 64) - 1 for argument in (*arguments, 0, 0, 0, 0, 0, 0)][:6]
    return struct.pack("=II7Q", number, architecture, 0, *six)


def execute(code: bytes, call: bytes) -> int:
    """Run an assembled filter on a call and return its action; the kernel's rules are asserted."""
    steps = list(struct.iter_unpack("=HBBI", code))
    assert 0 < len(steps) <= 4096  # BPF_MAXINSNS
    word, position = 0, 0
    while True:
        assert position < len(steps), "a filter must end in a return"
        operation, skip_true, skip_false, constant = steps[position]
        position += 1
        if operation == bpf.RETURN:
            return int(constant)
        if operation == bpf.LOAD_WORD:
            assert constant % 4 == 0
            assert constant + 4 <= len(call)
            (word,) = struct.unpack_from("=I", call, constant)
        else:
            holds = {
                bpf.JUMP_EQUAL: word == constant,
                bpf.JUMP_GREATER_EQUAL: word >= constant,
                bpf.JUMP_ANY_BIT: bool(word & constant),
            }[operation]
            position += skip_true if holds else skip_false
