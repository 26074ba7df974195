"""Tries: send a pickle that runs a command when it is loaded.

Must happen: the judge unpickles nothing: a violation of the protocol (RTE).
"""
import os
import pickle

TARGET = "/tmp/judge-hostile"


class Payload:
    def __reduce__(self):
        return os.mkdir, (f"{TARGET}/unpickled",)


def encoder_block(x, *rest):
    os.write(3, pickle.dumps(Payload()))
    return x
