"""Tries: answer every call itself, in the frames of the judge's own worker, and exit with code 0.

Must happen: the forged arrays are compared like any others (WA).
"""
import os
import struct

CALL = struct.Struct("=BBHQI")  # judge/sandbox/wire.py


def read(count):
    data = b""
    while len(data) < count:
        more = os.read(3, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def reply(shape):
    size = 8
    for length in shape:
        size *= length
    header = struct.pack("=4sBBBBHHIQQ", b"RPLY", 3, 1, len(shape), 0, 0, 0, 0, 0, size)
    return header + struct.pack(f"={len(shape)}Q", *shape) + bytes(size)


def encoder_block(x, *rest):
    os.write(3, reply(x.shape))
    while True:
        _, rank, _, _, length = CALL.unpack(read(CALL.size))
        os.write(3, reply(struct.unpack_from(f"={rank}Q", read(length))))
