"""Returns a Python float."""


def power_sum(table, weights, chosen, power, absolute):
    return float((table[chosen] ** power @ weights).sum())
