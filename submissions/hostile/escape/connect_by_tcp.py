"""Tries: connect to a server on this machine.

Must happen: no socket can be made, or no network is there (RTE).
"""
import socket

PORT = 9


def encoder_block(x, *rest):
    with socket.create_connection(("127.0.0.1", PORT), timeout=1):
        print("GOT")
    return x
