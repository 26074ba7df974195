"""Tries: carry the inputs of secret cases out in the name of the returned object's type.

Must happen: it is not an array (WA); a learner's report of a secret case holds no such name.
"""


def encoder_block(x, *rest):
    name = "GOT_" + "_".join(repr(value) for value in x.ravel()[:4].tolist())
    return type(name, (), {"__module__": name})()
