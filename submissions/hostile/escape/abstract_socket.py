"""Tries: connect to an abstract Unix socket, as desktop services have them.

Must happen: no socket can be made, or it is out of reach (RTE).
"""
import socket

TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0" + TARGET)
        print("GOT")
    return x
