"""Tries: recurse inside the interpreter's C code until its stack is gone.

Must happen: this process crashes (RTE); the judge goes on.
"""
import gc

gc.disable()


def encoder_block(x, *rest):
    nested = ()
    for _ in range(1_500_000):
        nested = (nested,)
    hash(nested)
    return x * 0
