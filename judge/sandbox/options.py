"""What the zygote and its workers are told when they start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ZygoteOptions:
    """How a zygote is to be jailed.

    Args:
        layers_off: names of layers left out on purpose, for tests and for measuring.
        control: descriptor of the socket to the judge; it must survive the layers.
    """

    layers_off: frozenset[str]
    control: int


@dataclass(frozen=True)
class WorkerLimits:
    """What one worker may use.

    Args:
        address_space: bytes of address space, those of the interpreter and NumPy included.
        cpu_seconds: CPU time, a backstop behind the judge's wall deadline.
    """

    address_space: int
    cpu_seconds: int
