"""Results of the reference with known mistakes in it, computed in a jailed worker.

All variants travel as one file, whose function returns their results stacked: no protocol of its
own, and no bundle code in the judge's process.
"""

from __future__ import annotations

import hashlib
import platform
import threading
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from judge import __version__
from judge.cache import cache_folder, read_cached, write_cached
from judge.mistakes import Mistakes
from judge.runner import Judge
from judge.testcases import TestCase

Array: TypeAlias = NDArray[np.float64]
Variant: TypeAlias = tuple[str, ...]
"""Ids of the mistakes that are made together; empty for the reference itself."""

_FUNCTION = "variants"
_SECONDS = 30.0
_MOST_ROWS = 20_000
_VERSIONS = f"{__version__} {np.__version__} {platform.python_version()} {platform.machine()}"

_PROGRAM = """\
import warnings
import numpy as np

PIECES = {pieces!r}
VARIANTS = {variants!r}
CODES = {{}}


def build(variant):
    namespace = {{"__name__": "reference"}}
    try:
        for number in variant:
            if number not in CODES:
                CODES[number] = compile(PIECES[number], "reference", "exec")
            exec(CODES[number], namespace)
        return namespace[{function!r}]
    except BaseException:
        return None


FUNCTIONS = []


def variants(shape, *arguments):
    if not FUNCTIONS:
        FUNCTIONS.extend(map(build, VARIANTS))
    shape = tuple(shape.tolist())
    results = np.full((len(FUNCTIONS), *shape), np.nan)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, function in enumerate(FUNCTIONS):
            own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
            try:
                result = np.asarray(function(*own), dtype=np.float64)
            except BaseException:
                continue
            if result.shape == shape:
                results[number] = result
    return results
"""


class VariantsError(Exception):
    """The known mistakes could not be run: their worker crashed, or took too long."""


class Variants:
    """Computes and keeps the results of variants.

    Args:
        mistakes: the bundle's mistakes.
    """

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._rows: dict[tuple[Variant, str], Array] = {}
        self._lock = threading.Lock()

    def results(
        self,
        judge: Judge,
        variants: Sequence[Variant],
        cases: Sequence[TestCase],
        *,
        on_disk: bool = False,
    ) -> list[Array]:
        """Compute variants on cases, or remember them.

        Args:
            judge: whose sandbox runs them.
            variants: which mistakes; the edits of one variant must be disjoint.
            cases: the cases.
            on_disk: whether to keep the results in the cache folder too.

        Returns:
            For each case an array of shape (variants, *result shape); where a variant raises or
            returns another shape, its row is all NaN.

        Raises:
            VariantsError: the variants could not be run.
            SandboxError: the sandbox failed.
        """
        keyed = {_case_key(case): case for case in cases}
        with self._lock:
            if len(self._rows) > _MOST_ROWS:
                self._rows.clear()
            missing = [v for v in variants if any((v, key) not in self._rows for key in keyed)]
            if missing:
                self._make(judge, missing, keyed, on_disk=on_disk)
            return [
                np.array([self._rows[variant, key] for variant in variants]).reshape(
                    len(variants), *case.expected.shape
                )
                for key, case in keyed.items()
            ]

    def _make(
        self,
        judge: Judge,
        variants: Sequence[Variant],
        keyed: Mapping[str, TestCase],
        *,
        on_disk: bool,
    ) -> None:
        """Read or run what is missing; each case has a file of its own in the cache folder."""
        program = self._program(variants, judge.problem.function.name)
        made: dict[str, Array] = {}
        paths = {key: cache_folder() / "mistakes" / f"{_digest(program, key)}.bin" for key in keyed}
        if on_disk:
            made = {
                key: np.frombuffer(data).reshape(len(variants), *keyed[key].expected.shape)
                for key, path in paths.items()
                if (data := read_cached(path)) is not None
                and len(data) == 8 * len(variants) * keyed[key].expected.size
            }
        left = [key for key in keyed if key not in made]
        if left:
            for key, results in zip(
                left, _run(judge, program, [keyed[k] for k in left]), strict=True
            ):
                made[key] = results
                if on_disk:
                    write_cached(paths[key], results.tobytes())
        for key, results in made.items():
            self._rows.update({(v, key): row for v, row in zip(variants, results, strict=True)})

    def _program(self, variants: Sequence[Variant], function: str) -> bytes:
        """Return the file: every distinct piece once, and which pieces make each variant."""
        numbers: dict[str, int] = {}
        made = [
            tuple(
                numbers.setdefault(piece, len(numbers)) for piece in self._mistakes.pieces(*variant)
            )
            for variant in variants
        ]
        text = _PROGRAM.format(pieces=list(numbers), variants=made, function=function)
        if "from __future__ import annotations" in self._mistakes.reference:
            # Compiled pieces inherit this from the file that compiles them.
            text = f"from __future__ import annotations\n{text}"
        return text.encode()


def _run(judge: Judge, program: bytes, cases: Sequence[TestCase]) -> list[Array]:
    arguments = [(np.array(case.expected.shape, dtype=np.int64), *case.inputs) for case in cases]
    outcomes = judge.call(program, _FUNCTION, arguments, seconds=_SECONDS, total_seconds=_SECONDS)
    results = []
    for case, outcome in zip(cases, outcomes, strict=True):
        if outcome.value is None:
            said = outcome.failure.message if outcome.failure else "no result"
            raise VariantsError(f"the known mistakes could not be run on {case.name}: {said}")
        results.append(np.asarray(outcome.value, dtype=np.float64))
    return results


def _case_key(case: TestCase) -> str:
    values = [
        f"{value.dtype}{value.shape}".encode() + value.tobytes()
        if isinstance(value, np.ndarray)
        else repr(value)
        for value in case.inputs
    ]
    return _digest(str(case.expected.shape), *values)


def _digest(*parts: bytes | str) -> str:
    """Return the digest of what a result depends on, the versions of Python and NumPy included."""
    digest = hashlib.sha256(_VERSIONS.encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
