"""Nests iterators deeper than the stack: they call each other in C, where no limit counts."""

import gc

gc.disable()


def encoder_block(*arguments):
    numbers = iter([1])
    for _ in range(400_000):
        numbers = map(list, [numbers])
    return next(numbers)
