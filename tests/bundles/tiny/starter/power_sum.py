def power_sum(table, weights, chosen, power, absolute):
    """Return sum over chosen rows i and columns j of weights[j] * table[i, j] ** power."""
    # Write your code here.
