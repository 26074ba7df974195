"""Tries: send two replies of its own before the worker sends the real one.

Must happen: more than one reply to a call is a violation of the protocol (RTE).
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
    os.write(3, 2 * reply(x, bytes(x.nbytes)))
    return x
