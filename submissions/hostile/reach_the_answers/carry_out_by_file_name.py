"""Tries: carry the inputs of secret cases out in the name of a file.

Must happen: no file can be made anywhere (RTE).
"""
TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    refused = None
    for folder in (TARGET, "/tmp", "/dev/shm", "/var/tmp", "."):
        try:
            with open(f"{folder}/judge-hostile-GOT-{float(x.ravel()[0])!r}", "w"):
                print("GOT", folder)
        except OSError as error:
            refused = error
    if refused:
        raise refused
    return x
