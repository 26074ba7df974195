"""Tries: load a compiled library that was not loaded when the worker started.

Must happen: none can be mapped executable (RTE).
"""
import ctypes


def encoder_block(x, *rest):
    refused = None
    for name in ("libutil.so.1", "libnsl.so.1", "libanl.so.1", "libthread_db.so.1"):
        try:
            ctypes.CDLL(name)
            print("GOT", name)
        except OSError as error:
            refused = error
    if refused:
        raise refused
    return x
