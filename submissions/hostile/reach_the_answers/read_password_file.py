"""Tries: read /etc/passwd, which every user of a machine may read.

Must happen: there is no such file, or it can't be opened (RTE).
"""


def encoder_block(x, *rest):
    with open("/etc/passwd") as file:
        print("GOT", len(file.read()))
    return x
