"""How well the diagnosis tells mistakes and pairs of mistakes apart, by its own match rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judge.authoring.verify.evidence import Array, Evidence, Named
from judge.diagnosis.matching import Observed, compare_candidates
from judge.diagnosis.variants import Variant


def name_all(evidence: Evidence) -> Named:
    """Let every known mistake and every likely pair be diagnosed."""
    singles: list[Variant] = [(mistake.id,) for mistake in evidence.known]
    core = [evidence.results[i] for i in evidence.core]
    rejected = [i for i in range(len(singles)) if np.any(evidence.margins[i, evidence.core] > 1)]
    shared = {}
    for row in rejected:
        found = _named(evidence, [r[row] for r in core], singles, core)
        if found != {frozenset([evidence.mistakes.canonical(singles[row][0])])}:
            shared[singles[row][0]] = sorted("+".join(sorted(names)) for names in found)
    unique_pairs = like_one = pairs = 0
    for row, pair in enumerate(evidence.pairs):
        actual = [results[row] for results in evidence.pair_results]
        if not any(not right for right in _right(evidence, actual)):
            continue
        pairs += 1
        alone = _named(evidence, actual, singles, core)
        like_one += bool(alone)
        if not alone:
            found = _named(evidence, actual, list(evidence.pairs), list(evidence.pair_results))
            unique_pairs += found == {frozenset(map(evidence.mistakes.canonical, pair))}
    return Named(len(rejected), len(rejected) - len(shared), shared, pairs, unique_pairs, like_one)


def _named(
    evidence: Evidence,
    actual: Sequence[Array],
    variants: Sequence[Variant],
    candidates: Sequence[Array],
) -> set[frozenset[str]]:
    observed = [
        Observed(result, evidence.cases[i].expected, right)
        for result, i, right in zip(actual, evidence.core, _right(evidence, actual), strict=True)
    ]
    tolerance = evidence.problem.tolerance
    largest = max(float(np.abs(evidence.cases[i].expected).max()) for i in evidence.core)
    noise = tolerance.absolute + tolerance.relative * largest
    matches = compare_candidates(observed, candidates, noise).matches()
    return {frozenset(map(evidence.mistakes.canonical, variants[i])) for i in matches}


def _right(evidence: Evidence, actual: Sequence[Array]) -> list[bool]:
    tolerance = evidence.problem.tolerance
    right = []
    for result, i in zip(actual, evidence.core, strict=True):
        exact = evidence.cases[i].expected
        allowed = tolerance.absolute + tolerance.relative * np.abs(exact)
        with np.errstate(all="ignore"):
            right.append(bool(np.all(np.abs(result - exact) <= allowed)))
    return right
