"""Tries: leave a module in the working directory that the next import takes for the real one.

Must happen: no file can be made (RTE).
"""


def encoder_block(x, *rest):
    with open("numpy.py", "w") as file:
        file.write("raise SystemExit(0)")
    print("GOT")
    return x
