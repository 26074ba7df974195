"""Tries: leave a file in shared memory (1 MiB) for the next submission.

Must happen: no file can be made (RTE).
"""


def encoder_block(x, *rest):
    with open("/dev/shm/judge-hostile-memory", "wb") as file:
        file.write(bytes(1 << 20))
    print("GOT")
    return x
