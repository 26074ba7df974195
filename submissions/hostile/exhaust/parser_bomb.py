"""Tries: give Python's parser an expression nested so deeply that it crashes or takes all memory.

Must happen: an exception or a crash of this process (RTE), or no memory (MLE); the judge goes on.
"""


def encoder_block(x, *rest):
    depth = 100_000
    eval("-" * depth + "(" * depth + "1" + ")" * depth)
    return x * 0
