"""Tries: write 1 MiB into every folder where a program may usually write.

Must happen: no file can be made anywhere (RTE).
"""
TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    refused = None
    for folder in (TARGET, "/tmp", "/dev/shm", "/var/tmp", "/run", "."):
        try:
            with open(f"{folder}/judge-hostile-file", "wb") as file:
                file.write(bytes(1 << 20))
            print("GOT", folder)
        except OSError as error:
            refused = error
    if refused:
        raise refused
    return x
