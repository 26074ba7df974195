"""Tries: connect to a Unix socket by its path, as container engines and agents have them.

Must happen: no socket can be made, or the path is not there (RTE).
"""
import socket

TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(f"{TARGET}/socket")
        print("GOT")
    return x
