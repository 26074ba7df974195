"""Arrays as the judge holds them: dtype, shape and bytes.

Judging moves arrays about and compares them; it computes nothing with them. So NumPy, whose import
is most of a cold verdict, is imported only where somebody does.
"""

from __future__ import annotations

import math
import struct
import sys
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMATS = {"float64": "d", "int64": "q", "bool": "?"}
"""The dtypes of results and inputs, with the format of their elements in `struct`."""


class Array(msgspec.Struct, frozen=True):
    """An array as its bytes.

    Args:
        dtype: a key of `FORMATS`, or for `Array.of` any other dtype's name.
        shape: its shape, () for a scalar.
        data: its elements in C order and the machine's byte order.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def tobytes(self) -> bytes:
        """Return the elements' bytes, as an `np.ndarray` does."""
        return self.data

    def elements(self) -> tuple[Any, ...]:
        """Return the elements in C order as Python numbers."""
        return struct.unpack(f"={self.size}{FORMATS[self.dtype]}", self.data)

    def element(self, position: int) -> Any:
        """Return the element at a position in C order as a Python number."""
        one = struct.Struct(f"={FORMATS[self.dtype]}")
        return one.unpack_from(self.data, position * one.size)[0]

    def index_of(self, position: int) -> list[int]:
        """Return the index of the element at a position in C order."""
        found = []
        for size in reversed(self.shape):
            position, own = divmod(position, size)
            found.append(own)
        return found[::-1]

    def numpy(self) -> NDArray[np.generic]:
        """Return a new `np.ndarray` that owns its memory."""
        import numpy as np

        return np.frombuffer(self.data, dtype=self.dtype).reshape(self.shape).copy()

    @staticmethod
    def of(value: object) -> Array | None:
        """Return an array of either kind as one of this kind; None for anything else."""
        if isinstance(value, Array):
            return value
        numpy = sys.modules.get("numpy")
        if numpy is None or not isinstance(value, numpy.ndarray):
            return None
        # str() rather than .name, which is silent about a foreign byte order.
        return Array(str(value.dtype), value.shape, value.tobytes())


def as_numpy(value: object) -> Any:
    """Return a value with an `Array` turned into an `np.ndarray`."""
    return value.numpy() if isinstance(value, Array) else value
