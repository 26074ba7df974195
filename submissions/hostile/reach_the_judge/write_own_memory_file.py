"""Tries: write this process's own memory through /proc/self/mem, around every page protection.

Must happen: there is no /proc, or it can't be opened (RTE).
"""


def encoder_block(x, *rest):
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        print("GOT", memory.fileno())
    return x
