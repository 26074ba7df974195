"""A submission that imports everything that solutions use, and all of NumPy, inside the jail."""

import importlib
import pkgutil

import numpy as np

STANDARD = (
    "math cmath itertools functools collections typing dataclasses decimal fractions statistics "
    "random re string operator abc copy enum warnings time bisect heapq contextlib textwrap"
)

TESTS_AND_BUILD = {
    "tests", "conftest", "__main__", "_simd", "_pyinstaller", "distutils", "_distutils", "setup",
    "cversions",
}  # fmt: skip


def encoder_block(x, *rest):
    names = STANDARD.split()
    for module in pkgutil.walk_packages(np.__path__, "numpy."):
        parts = set(module.name.split("."))
        # Helpers of NumPy's own tests, and what builds and packages it.
        if parts & TESTS_AND_BUILD or any("_tests" in part for part in parts):
            continue
        names.append(module.name)
    failed = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 (all that fail, at once)
            failed.append(f"{name}: {type(error).__name__}: {error}")
    if failed:
        raise ImportError("; ".join(failed))
    # Each as it is used: some load more only then.
    import decimal
    import random
    import statistics

    assert decimal.Decimal(2).sqrt() > 1
    assert 0 <= random.SystemRandom().random() < 1
    assert statistics.NormalDist().cdf(0) == 0.5
    assert np.random.default_rng().normal(size=3).shape == (3,)
    assert np.fft.ifft(np.fft.fft([1.0, 2.0])).real.tolist() == [1.0, 2.0]
    assert np.linalg.svd(np.eye(3))[1].tolist() == [1.0, 1.0, 1.0]
    assert np.einsum("ij,jk", np.eye(2), np.eye(2)).trace() == 2.0
    print("IMPORTED", len(names))
    return x
