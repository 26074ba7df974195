"""Tries: send a datagram to a server on this machine.

Must happen: no socket can be made, or no network is there (RTE).
"""
import socket

PORT = 9


def encoder_block(x, *rest):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"GOT", ("127.0.0.1", PORT))
    print("GOT")
    return x
