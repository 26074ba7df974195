"""Returns an array of shape () instead of NumPy's scalar."""

import numpy as np


def power_sum(table, weights, chosen, power, absolute):
    assert type(power) is int and type(absolute) is bool
    assert chosen.dtype == bool and table.flags.writeable and table.flags.owndata
    total = 0.0
    for row, counts in zip(table.tolist(), chosen.tolist()):
        if counts:
            total += sum(w * (abs(v) if absolute else v) ** power for v, w in zip(row, weights))
    return np.array(total)
