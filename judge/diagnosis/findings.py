"""What can be said without a known mistake: precision, axes, state, and where the error shows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from judge.diagnosis.matching import Observed
from judge.signature import ValueType
from judge.testcases import TagInfo
from judge.verdicts import Diagnosis

Array: TypeAlias = NDArray[Any]

PRECISION = "precision"
UNKNOWN = "unknown"
MOST_DECIMALS = 11
_FEW_DIGITS = 1e-5


@dataclass(frozen=True)
class Outcome:
    """How one case went, as far as findings need to know.

    Args:
        name: the case's name.
        tags: the case's tags.
        right: whether it was accepted.
        non_finite: whether it was wrong by a NaN or infinity.
    """

    name: str
    tags: frozenset[str]
    right: bool
    non_finite: bool = False


def precision(observed: Sequence[Observed], *, near: bool = True) -> Diagnosis | None:
    """Tell whether results have too few digits: rounded, through float32, or nearly right.

    Args:
        observed: results on some cases, at least one of them wrong.
        near: whether they must be as near the answers as the digits that are left allow; False
            where another mistake is known to be made as well.
    """
    results = [case.actual for case in observed]
    if not all(case.finite for case in observed):
        return None
    worst = max(float(_relative(case).max(initial=0.0)) for case in observed)
    for decimals in range(MOST_DECIMALS):
        if near and worst > 10.0**-decimals:
            break
        if _all(results, lambda a, k=decimals: np.array_equal(np.round(a, k), a)):  # type: ignore[misc]
            return _finding(
                f"rounded-{decimals}-decimals",
                f"result rounded to {decimals} decimals",
                PRECISION,
                "Every number of the result has at most "
                f"{decimals} decimals. Return it as it was computed, without rounding.",
            )
    for name, bits in (("float16", 11), ("float32", 24)):
        if near and worst > 2.0**-bits:
            break
        if _all(results, lambda a, n=name: np.array_equal(a.astype(n).astype(a.dtype), a)):  # type: ignore[misc]
            return _finding(
                f"{name}-result",
                f"result passed through {name}",
                PRECISION,
                f"Every number of the result fits the {bits} bits of {name}. Look for a cast or a "
                f"dtype={name} near the end, and keep float64 throughout.",
            )
    if worst <= _FEW_DIGITS:
        return _finding(
            "too-few-digits",
            "right to a few digits only",
            PRECISION,
            f"Every number is right to within {worst:.0e}: the formulas are right, or nearly so, "
            "and digits are lost on the way. Look for float32, for a rounded constant, and for a "
            "small constant that does not belong there. np.allclose would accept it; float64 can "
            "do better.",
        )
    return None


def _relative(case: Observed) -> Array:
    return np.asarray(np.abs(case.actual - case.exact) / (1 + np.abs(case.exact)))


def _all(results: Sequence[Array], holds: Callable[[Array], bool]) -> bool:
    with np.errstate(all="ignore"):
        return all(holds(result) for result in results)


def returned_input(
    observed: Sequence[tuple[Observed, Sequence[Any]]], names: Sequence[str]
) -> Diagnosis | None:
    """Tell whether the results are one of the arguments, or all zeros.

    Args:
        observed: each result with the arguments of its call.
        names: the parameters' names.
    """
    if not observed or all(not case.exact.any() for case, _ in observed):
        return None
    if all(not case.actual.any() for case, _ in observed):
        return _finding(
            "all-zeros",
            "the result is all zeros",
            UNKNOWN,
            "Every number returned is 0. Check that the array you return is the one you filled.",
        )
    for position, name in enumerate(names):
        values = [arguments[position] for _, arguments in observed]
        if all(
            isinstance(value, np.ndarray) and np.array_equal(value, case.actual)
            for value, (case, _) in zip(values, observed, strict=True)
        ):
            return _finding(
                "returns-argument",
                f"the result is {name}, unchanged",
                UNKNOWN,
                f"The array returned equals the argument {name}. Check that what you compute is "
                "what you return.",
            )
    return None


def exchanged_axes(results: Sequence[tuple[Array, Array]], kind: ValueType) -> Diagnosis | None:
    """Tell whether results are right but for the order of their axes, or for their shape.

    Args:
        results: what came back and the answer, for some cases that failed.
        kind: the type of the result, for the names of its axes.
    """
    if not results:
        return None
    dims = kind.dims or ()
    for order in itertools.permutations(range(len(dims))):
        if list(order) != sorted(order) and all(
            _close(actual.transpose(order), exact) if actual.ndim == len(order) else False
            for actual, exact in results
        ):
            returned = [""] * len(order)
            for position, axis in enumerate(order):
                returned[axis] = dims[position]
            return _finding(
                "axes-exchanged",
                "right numbers, axes in another order",
                "shape",
                f"The axes of the result are ({', '.join(returned)}), and should be "
                f"({', '.join(dims)}). Transpose it before you return it.",
            )
    if all(
        actual.size == exact.size
        and actual.shape != exact.shape
        and _close(actual.reshape(exact.shape), exact)
        for actual, exact in results
    ):
        return _finding(
            "another-shape",
            "right numbers, another shape",
            "shape",
            "The numbers are right and in the right order, the shape is not. Look for a reshape, a "
            "squeeze or an axis that was dropped.",
        )
    return None


def _close(actual: Array, exact: Array) -> bool:
    return actual.shape == exact.shape and bool(np.allclose(actual, exact, rtol=1e-6, atol=1e-6))


def state() -> Diagnosis:
    """Say that a case is right when it is run alone."""
    return _finding(
        "state",
        "right alone, wrong after other calls",
        "state",
        "A case that failed is right when it is the only call. Something is kept between calls: a "
        "global variable, a default argument that is changed, a cache that knows too little.",
    )


def non_finite(
    outcomes: Sequence[Outcome], tags: Mapping[str, TagInfo], named: Mapping[str, str]
) -> tuple[str, str] | None:
    """Find the tag whose cases are exactly those that gave NaN or infinity.

    Args:
        outcomes: all cases that ran.
        tags: what each tag says.
        named: mistake by tag that such results speak for.

    Returns:
        The mistake's id, and a sentence; None where no tag fits.
    """
    failing = {case.name for case in outcomes if case.non_finite}
    for tag, mistake in named.items():
        tagged = {case.name for case in outcomes if tag in case.tags}
        if failing and failing == tagged:
            return mistake, f"Results are NaN or infinite only in cases with {tags[tag].text}."
    return None


def where_it_shows(outcomes: Sequence[Outcome], tags: Mapping[str, TagInfo]) -> Diagnosis:
    """Say that no known mistake fits, in which half the fault is, and what failing cases share."""
    half, sentence = _halves(outcomes, tags)
    said = [sentence, *_shared(outcomes, tags)]
    advice = (
        " ".join(part for part in said if part) or "The cases that fail have nothing in common."
    )
    return _finding(
        "no-known-mistake", "none of the known mistakes gives these results", half, advice
    )


def _halves(outcomes: Sequence[Outcome], tags: Mapping[str, TagInfo]) -> tuple[str, str]:
    """Judge by the probes, in which one half of the computation adds nothing."""
    halves = list(dict.fromkeys(tag.switches_off for tag in tags.values() if tag.switches_off))
    wrong: dict[frozenset[str], bool] = {}
    for case in outcomes:
        off = frozenset(tags[t].switches_off for t in case.tags if t in tags) - {""}
        if off:
            wrong[off] = wrong.get(off, False) or not case.right
    if len(wrong) < 2:
        return UNKNOWN, ""
    if wrong.get(frozenset(halves)):
        both = " and ".join(halves)
        return (
            UNKNOWN,
            f"It is wrong even where {both} add nothing: look at what is left of it then.",
        )
    guilty = [half for half in halves if any(bad and half not in off for off, bad in wrong.items())]
    innocent = [
        half for half in halves if any(half in off and not bad for off, bad in wrong.items())
    ]
    if len(guilty) == 1 and guilty[0] in innocent:
        return guilty[
            0
        ], f"It is right where {guilty[0]} adds nothing, so the fault is in that half."
    if guilty:
        return UNKNOWN, f"There is a fault in each of the two halves, {' and '.join(guilty)}."
    return UNKNOWN, f"It is right wherever {' or '.join(halves)} adds nothing."


def _shared(outcomes: Sequence[Outcome], tags: Mapping[str, TagInfo]) -> list[str]:
    """Describe the failing cases by their tags, in at most two sentences."""
    failing = {case.name for case in outcomes if not case.right}
    if len(failing) in (0, len(outcomes)):
        return []
    carriers = {
        tag: {case.name for case in outcomes if tag in case.tags}
        for tag, info in tags.items()
        if not info.switches_off
    }
    exact = [tag for tag, names in carriers.items() if names == failing]
    if exact:
        return [f"Exactly the cases with {tags[exact[0]].text} fail."]
    common = [tag for tag, names in carriers.items() if failing < names]
    common.sort(key=lambda tag: len(carriers[tag]))
    clean = [tag for tag, names in carriers.items() if names and not names & failing]
    clean.sort(key=lambda tag: -len(carriers[tag]))
    said = [f"Every case that fails has {tags[tag].text}." for tag in common[:1]]
    return said + [f"Every case with {tags[tag].text} is right." for tag in clean[:1]]


def _finding(name: str, title: str, stage: str, advice: str) -> Diagnosis:
    return Diagnosis(id=name, title=title, stage=stage, advice=advice)
