"""Tries: return an object that is equal to everything, and smaller and larger than everything.

Must happen: it is not an array (WA).
"""


class Yes:
    shape = property(lambda self: self)
    dtype = property(lambda self: self)

    def __eq__(self, other):
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = None

    def __sub__(self, other):
        return 0.0

    __rsub__ = __abs__ = __sub__


def encoder_block(x, *rest):
    return Yes()
