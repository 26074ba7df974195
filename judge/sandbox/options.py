"""What the zygote and its workers are told when they start.

Named tuples here and in `wire`: a frozen dataclass takes thirty times as long to define, and a
zygote boots with a dozen of them.
"""

from __future__ import annotations

from typing import NamedTuple


class ZygoteOptions(NamedTuple):
    """How a zygote is to be jailed.

    Args:
        layers_off: names of layers left out on purpose, for tests and for measuring.
        control: descriptor of the socket to the judge; it must survive the layers.
    """

    layers_off: frozenset[str]
    control: int


class WorkerLimits(NamedTuple):
    """What one worker may use.

    Args:
        address_space: bytes of address space, those of the interpreter and NumPy included.
        cpu_seconds: CPU time, a backstop behind the judge's wall deadline.
    """

    address_space: int
    cpu_seconds: int
