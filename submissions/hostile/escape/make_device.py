"""Tries: make a device file for the machine's disk.

Must happen: refused (RTE).
"""
import os
import stat

TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    refused = None
    for folder in (TARGET, "/tmp", "/dev"):
        try:
            os.mknod(f"{folder}/judge-hostile-device", stat.S_IFBLK | 0o666, os.makedev(254, 0))
            print("GOT", folder)
        except OSError as error:
            refused = error
    if refused:
        raise refused
    return x
