"""Tries: carry the inputs of secret cases out in the message of an exception.

Must happen: it may raise (RTE); a learner's report of a secret case holds no message.
"""


def encoder_block(x, *rest):
    raise ValueError(f"GOT {x.ravel()[:4].tolist()}")
