"""Never drops the signs: wrong where that matters only."""


def power_sum(table, weights, chosen, power, absolute):
    return (table[chosen] ** power @ weights).sum()
