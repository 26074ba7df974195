"""Make a failing case smaller and its numbers simpler while it still fails.

It knows the signature's dimensions and nothing of what the function computes: sizes are cut by
slicing every array, whole arrays become zeros, ones or an identity, elements become 0, 1 or short
decimals.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from judge.faults import Faults
from judge.problem import Problem

Inputs: TypeAlias = dict[str, Any]
Test: TypeAlias = Callable[[Inputs], bool]
Step: TypeAlias = Callable[[Inputs, Test], Inputs]

_MOST_ELEMENTS = 400
"""Arrays are simplified element by element as long as all of them have no more than this."""


@dataclass(frozen=True)
class Shrinker:
    """What is kept while a case gets smaller.

    Args:
        problem: the bundle, whose signature and constraints are kept.
        shows: whether inputs show the fault; cheap, called often.
        admitted: whether inputs are fit to be a case; dear, called rarely.
        plain: for each parameter an example of it; where that is all zeros, all ones or an
            identity, this is taken to be its neutral value, and is tried first.
    """

    problem: Problem
    shows: Test
    admitted: Test
    plain: Mapping[str, Any]

    def shrink(self, inputs: Inputs) -> Inputs:
        """Return the smallest and simplest inputs found that still show the fault.

        Args:
            inputs: a case that shows it and is admitted.

        Returns:
            Inputs that pass both tests; those given, when nothing smaller does.
        """
        before = None
        inputs = self._admitted(self._smaller, inputs)
        while inputs is not before:
            inputs = self._admitted(self._simpler_arrays, inputs)
            before = self._admitted(self._simpler_elements, inputs)
            # Simpler numbers can make a smaller shape possible that was not before.
            inputs = self._admitted(self._smaller, before)
        return inputs

    def _admitted(self, step: Step, inputs: Inputs) -> Inputs:
        """Take a step without asking for admission; where it leads out, ask at every turn."""
        simpler = step(inputs, self._fits)
        if simpler is inputs or self.admitted(simpler):
            return simpler
        return step(inputs, self._fits_and_is_admitted)

    def _fits(self, inputs: Inputs) -> bool:
        return fits(self.problem, inputs) and self.shows(inputs)

    def _fits_and_is_admitted(self, inputs: Inputs) -> bool:
        return self._fits(inputs) and self.admitted(inputs)

    def _smaller(self, inputs: Inputs, fine: Test) -> Inputs:
        """Take the first smaller shape that will do, until none does."""
        while True:
            sizes = sizes_of(self.problem, inputs)
            for changed in _smaller_sizes(sizes):
                candidate = resized(self.problem, inputs, {**sizes, **changed})
                if fine(candidate):
                    inputs = candidate
                    break
            else:
                return inputs

    def _simpler_arrays(self, inputs: Inputs, fine: Test) -> Inputs:
        """Replace whole values by the simplest that will do; once more, while that changes any."""
        changed = True
        while changed:
            changed = False
            for name in inputs:
                for simpler in _simpler(inputs[name], self.plain.get(name)):
                    candidate = {**inputs, name: simpler}
                    if fine(candidate):
                        inputs, changed = candidate, True
                        break
        return inputs

    def _simpler_elements(self, inputs: Inputs, fine: Test) -> Inputs:
        """Replace single elements by 0, 1, -1 or a shorter decimal, where the fault still shows."""
        if weight(inputs) > _MOST_ELEMENTS:
            return inputs
        for name, value in inputs.items():
            if not isinstance(value, np.ndarray) or value.dtype != np.float64 or _rank(value) <= 1:
                continue
            for place in np.ndindex(*value.shape):
                for simpler in _simpler_numbers(float(inputs[name][place])):
                    array = inputs[name].copy()
                    array[place] = simpler
                    if fine({**inputs, name: array}):
                        inputs = {**inputs, name: array}
                        break
        return inputs


def weight(inputs: Inputs) -> int:
    """Return how many numbers inputs hold."""
    return sum(value.size for value in inputs.values() if isinstance(value, np.ndarray))


def fits(problem: Problem, inputs: Inputs) -> bool:
    """Tell whether inputs fit the signature and the constraints."""
    faults = Faults("inputs")
    problem.check_inputs(inputs, faults)
    return not faults.found


def sizes_of(problem: Problem, inputs: Inputs) -> dict[str, int]:
    """Return the sizes of dimensions and the values of whole-number parameters, by name."""
    return problem.check_inputs(inputs, Faults("inputs"))


def resized(problem: Problem, inputs: Inputs, sizes: dict[str, int]) -> Inputs:
    """Cut every array to smaller sizes, from the front; whole-number parameters are set."""
    cut: Inputs = {}
    for parameter in problem.function.parameters:
        value = inputs[parameter.name]
        if isinstance(value, np.ndarray):
            ends = [
                slice(sizes.get(dim, size))
                for dim, size in zip(parameter.kind.dims or (), value.shape, strict=True)
            ]
            value = value[tuple(ends)].copy()
        cut[parameter.name] = sizes.get(parameter.name, value) if _is_int(value) else value
    return cut


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _smaller_sizes(sizes: dict[str, int]) -> Iterator[dict[str, int]]:
    """Yield changes of one size, smallest first, then of two at once."""
    for name, size in sizes.items():
        for less in range(1, size):
            yield {name: less}
    for (first, one), (second, two) in itertools.combinations(sizes.items(), 2):
        for a, b in itertools.product(range(1, one + 1), range(1, two + 1)):
            if a < one and b < two:
                yield {first: a, second: b}


def _simpler(value: Any, plain: Any) -> Iterator[Any]:
    """Yield values simpler than this one: the neutral one first, then simplest first."""
    if isinstance(value, float):
        yield from _ranked(value, [0.0, 1.0, *(round(value, k) + 0.0 for k in range(3))])
    if not isinstance(value, np.ndarray):
        return
    kinds = [np.zeros_like(value), np.ones_like(value)]
    if value.ndim == 2:
        kinds.insert(0, np.eye(*value.shape, dtype=value.dtype))
    neutral = [k for k, other in zip(kinds, _kinds_of(plain, value.ndim), strict=True) if other]
    if neutral and not np.array_equal(value, neutral[0]):
        yield neutral[0]
    if any(np.array_equal(value, kind) for kind in neutral):
        return
    if value.dtype == np.float64:
        kinds += [np.round(value, k) + 0.0 for k in range(3)]
    yield from _ranked(value, kinds)


def _kinds_of(plain: Any, axes: int) -> list[bool]:
    """Tell whether an example is an identity (two axes only), all zeros, or all ones."""
    array = np.asarray(plain if plain is not None else 2.0)
    identity = [array.ndim == 2 and bool(np.array_equal(array, np.eye(*array.shape)))]
    kinds = [not array.any(), bool(np.all(array == 1))]
    return identity + kinds if axes == 2 else kinds


def _ranked(value: Any, candidates: list[Any]) -> Iterator[Any]:
    """Yield the candidates that are easier to read than a value."""
    rank = _rank(value)
    yield from (candidate for candidate in candidates if _rank(candidate) < rank)


def _rank(value: Any) -> int:
    """Return how hard a value is to read: zeros, ones and identities, whole numbers, decimals."""
    array = np.asarray(value)
    if not array.any() or np.all(array == 1):
        return 1
    if array.ndim == 2 and np.array_equal(array, np.eye(*array.shape)):
        return 1
    if array.dtype.kind != "f":
        return 2
    return next((2 + k for k in range(6) if np.array_equal(np.round(array, k), array)), 9)


def _simpler_numbers(number: float) -> list[float]:
    options = [0.0, 1.0, -1.0, *(round(number, k) + 0.0 for k in range(3))]
    before = next((i for i, option in enumerate(options) if option == number), len(options))
    return options[:before]
