"""Tries: start a program as a child.

Must happen: no process can be made (RTE).
"""
import subprocess


def encoder_block(x, *rest):
    print("GOT", subprocess.run(["/bin/sh", "-c", "id"], capture_output=True).stdout)
    return x
