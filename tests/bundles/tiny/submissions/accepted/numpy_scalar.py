"""Returns an np.float64, as NumPy's reductions do."""

import numpy as np


def power_sum(table, weights, chosen, power, absolute):
    table = np.abs(table) if absolute else table
    return np.einsum("ij,j,i->", table**power, weights, chosen.astype(float))
