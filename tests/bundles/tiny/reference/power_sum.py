"""A weighted sum of powers of the chosen rows of a table."""

import numpy as np
from numpy.typing import NDArray


def power_sum(
    table: NDArray[np.float64],
    weights: NDArray[np.float64],
    chosen: NDArray[np.bool_],
    power: int,
    absolute: bool,
) -> np.float64:
    """Return sum over chosen rows i and columns j of weights[j] * table[i, j] ** power."""
    rows = np.abs(table[chosen]) if absolute else table[chosen]
    return np.float64((rows**power @ weights).sum())
