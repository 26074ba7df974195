"""Random numbers that never change: raw 64-bit words, mapped to short decimals in integers.

`PCG64.random_raw` and `SeedSequence` give the same stream in every NumPy version (NumPy's
compatibility policy, NEP 19); the distributions of `Generator` are not promised, so none is used.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_WORD = 1 << 64


class Draw:
    """One attempt's stream of numbers for one case.

    Args:
        seed: the bundle's seed.
        name: the case's name: adding a case moves no other's stream.
        attempt: number of the attempt, from 0.
    """

    def __init__(self, seed: int, name: str, attempt: int) -> None:
        key = hashlib.sha256(f"{seed}\n{name}\n{attempt}".encode()).digest()
        words = [int.from_bytes(key[i : i + 4], "little") for i in range(0, len(key), 4)]
        self._bits = np.random.PCG64(np.random.SeedSequence(words))

    def integers(self, low: int, high: int, shape: Sequence[int]) -> NDArray[np.int64]:
        """Draw whole numbers.

        Args:
            low: the least value.
            high: the greatest value, which can occur.
            shape: the array's shape.

        Returns:
            int64 array of that shape, each value `low + (word * (high - low + 1) >> 64)`.
        """
        if low > high:
            raise ValueError(f"no whole number lies between {low} and {high}")
        count = high - low + 1
        words = self._bits.random_raw(math.prod(shape))
        values = [low + (int(word) * count >> 64) for word in words]
        return np.array(values, dtype=np.int64).reshape(shape)

    def decimals(
        self, low: float | str, high: float | str, shape: Sequence[int], places: int = 3
    ) -> NDArray[np.float64]:
        """Draw decimals with a fixed number of places, each the float64 nearest to its decimal.

        Args:
            low: the least value, a decimal with at most `places` places.
            high: the greatest value, likewise.
            shape: the array's shape.
            places: decimal places.

        Returns:
            float64 array of that shape.
        """
        unit = 10**places
        least, most = (Fraction(str(end)) * unit for end in (low, high))
        whole = self.integers(math.ceil(least), math.floor(most), shape)
        return decimal(whole, places)

    def choice(self, count: int) -> int:
        """Draw a number from 0 to count - 1."""
        return int(self.integers(0, count - 1, ())[()])


def decimal(whole: NDArray[np.int64], places: int) -> NDArray[np.float64]:
    """Return whole numbers of units of 10**-places as float64: one division, correctly rounded.

    Zeros come out as +0.0.
    """
    return whole.astype(np.float64) / float(10**places) + 0.0
