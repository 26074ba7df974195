"""Tries: carry the inputs of secret cases out in the line number of a traceback.

Must happen: it may raise (RTE); a learner's report names only lines that this file has.
"""


def encoder_block(x, *rest):
    line = 1_000 + int(abs(float(x.ravel()[0])) * 1_000_000)
    exec(compile("raise KeyError", __file__, "exec").replace(co_firstlineno=line))
