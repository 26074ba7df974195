"""Tries: open the judge's and the zygote's memory, descriptors and environment in /proc.

Must happen: there is no /proc, or they can't be opened (RTE).
"""
import os

JUDGE = 0


def encoder_block(x, *rest):
    refused = None
    for process in {JUDGE or os.getppid(), os.getppid()}:
        for name in ("mem", "maps", "environ", "fd", "task"):
            try:
                os.close(os.open(f"/proc/{process}/{name}", os.O_RDONLY))
                if name != "task":
                    print("GOT", name)
            except OSError as error:
                refused = error
    if refused:
        raise refused
    return x
