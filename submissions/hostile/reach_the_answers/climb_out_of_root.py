"""Tries: leave the root by "..", by a link in /proc, and by a descriptor of the old root.

Must happen: every way ends in the jail or is refused (RTE).
"""
import os

WAYS = ("/../../../../etc/passwd", "/proc/self/root/etc/passwd", "/proc/1/root/etc/passwd",
        "/proc/self/cwd/../etc/passwd", "/dev/fd/3/../etc/passwd")


def encoder_block(x, *rest):
    refused = None
    for way in WAYS:
        try:
            os.close(os.open(way, os.O_RDONLY))
            print("GOT", way)
        except OSError as error:
            refused = error
    if refused:
        raise refused
    return x
