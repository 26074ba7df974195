"""Calls itself without end after lifting Python's limit."""

import sys

sys.setrecursionlimit(10**9)


def dive(depth):
    return sorted([depth], key=lambda _: dive(depth + 1))


def encoder_block(*arguments):
    return dive(0)
