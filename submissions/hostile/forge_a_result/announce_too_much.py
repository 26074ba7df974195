"""Tries: announce a reply of 2^62 bytes, so that the judge runs out of memory.

Must happen: the announcement does not fit what was asked for (RTE); nothing is allocated.
"""
import os
import struct


def reply(x, elements, *, nbytes=None, rank=None):
    """A frame as the judge's own worker would send it; judge/sandbox/wire.py."""
    nbytes = x.nbytes if nbytes is None else nbytes
    rank = x.ndim if rank is None else rank
    header = struct.pack("=4sBBBBHHIQQ", b"RPLY", 3, 1, rank, 0, 0, 0, 0, 0, nbytes)
    return header + struct.pack(f"={x.ndim}Q", *x.shape) + elements


def encoder_block(x, *rest):
    os.write(3, reply(x, b"", nbytes=1 << 62))
    return x
