"""Tries: list the folder where the answers are.

Must happen: the folder can't be listed (RTE).
"""
import os

TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    print("GOT", os.listdir(TARGET))
    return x
