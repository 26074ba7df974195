"""Tries: carry the inputs of secret cases out in the name of an exception's type.

Must happen: it may raise (RTE); a learner's report names only types that Python or NumPy define.
"""


def encoder_block(x, *rest):
    name = "GOT_" + "_".join(repr(value) for value in x.ravel()[:4].tolist())
    raise type(name, (Exception,), {"__module__": name})(name)
