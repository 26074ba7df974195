"""An assembler for the few classic BPF instructions that a seccomp filter needs.

Source: bpf(4) of the BSDs, <linux/bpf_common.h>, <linux/filter.h>, <linux/seccomp.h>, seccomp(2).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

# <linux/bpf_common.h>: class | size | mode, or class | operation | operand
LOAD_WORD = 0x00 | 0x00 | 0x20  # BPF_LD | BPF_W | BPF_ABS: a 32-bit word of struct seccomp_data
JUMP_EQUAL = 0x05 | 0x10 | 0x00  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_GREATER_EQUAL = 0x05 | 0x30 | 0x00  # BPF_JMP | BPF_JGE | BPF_K
JUMP_ANY_BIT = 0x05 | 0x40 | 0x00  # BPF_JMP | BPF_JSET | BPF_K
RETURN = 0x06 | 0x00  # BPF_RET | BPF_K

# <linux/seccomp.h>: struct seccomp_data {int nr; __u32 arch; __u64 instruction_pointer, args[6];}
NUMBER_OFFSET = 0
ARCHITECTURE_OFFSET = 4
ARGUMENTS_OFFSET = 16

_LONGEST_JUMP = 255  # <linux/filter.h>: jt and jf are of type __u8


class Instruction(NamedTuple):
    """`struct sock_filter`: what to do, with which constant, and how far to skip when true, false.

    Both skips count the instructions left out after this one.
    """

    code: int
    constant: int
    skip_true: int = 0
    skip_false: int = 0


Program = tuple[Instruction, ...]


def load(offset: int) -> Instruction:
    """Load the 32-bit word at an offset of `struct seccomp_data`."""
    return Instruction(LOAD_WORD, offset)


def argument(index: int, *, high: bool = False) -> Instruction:
    """Load the low or the high 32 bits of an argument; both architectures are little-endian."""
    return load(ARGUMENTS_OFFSET + 8 * index + (4 if high else 0))


def give(action: int) -> Instruction:
    """End the filter with an action."""
    return Instruction(RETURN, action)


def choose(code: int, constant: int, yes: Sequence[Instruction], no: Program) -> Program:
    """Compare the loaded word with a constant and go on with one of two programs.

    Args:
        code: `JUMP_EQUAL`, `JUMP_GREATER_EQUAL` or `JUMP_ANY_BIT`.
        constant: what to compare with.
        yes: at most 255 instructions that end in a `give` on every way through them.
        no: likewise, of any length.
    """
    if len(yes) > _LONGEST_JUMP:
        raise ValueError(f"a jump over {len(yes)} instructions is longer than {_LONGEST_JUMP}")
    return (Instruction(code, constant, 0, len(yes)), *yes, *no)


def assemble(program: Sequence[Instruction]) -> bytes:
    """Return an array of `struct sock_filter {__u16 code; __u8 jt; __u8 jf; __u32 k;}`."""
    return b"".join(
        struct.pack("=HBBI", step.code, step.skip_true, step.skip_false, step.constant)
        for step in program
    )
