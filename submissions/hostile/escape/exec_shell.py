"""Tries: become a shell.

Must happen: no program can be started (RTE).
"""
import os


def encoder_block(x, *rest):
    os.execv("/bin/sh", ["sh", "-c", "echo GOT; exit 0"])
