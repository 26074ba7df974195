"""Which known mistakes, or pairs of them, give a submission's results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from judge.diagnosis.matching import LARGEST_DISTANCE, Comparisons, compare_candidates
from judge.diagnosis.seen import Seen
from judge.diagnosis.variants import Variant, Variants
from judge.mistakes import Mistakes
from judge.runner import Judge

MOST_PAIRS = 300
_MOST_LOCAL = 40


@dataclass(frozen=True)
class Match:
    """Mistakes that give a submission's results.

    Args:
        variant: their ids.
        distance: max|submission - mistake| over max|submission - exact|, over the core cases.
        agreeing: number of core cases on which the results are the same.
    """

    variant: Variant
    distance: float
    agreeing: int


def find_known(judge: Judge, mistakes: Mistakes, variants: Variants, seen: Seen) -> list[Match]:
    """Compare a submission with every known mistake, then with likely pairs.

    Args:
        judge: whose sandbox runs the mistakes.
        mistakes: the bundle's mistakes.
        variants: where their results are kept.
        seen: the submission's results, wrong on some core case.

    Returns:
        Matches, nearest first; mistakes that are the same function count once.
    """
    search = _Search(judge, mistakes, variants, seen)
    singles: list[Variant] = [(mistake.id,) for mistake in mistakes.known]
    found = search.match(singles, on_disk=True)
    if found:
        return search.distinct(found)
    compared = search.compare(singles, (*seen.core, *seen.probes), on_disk=True)
    explaining = [singles[i][0] for i in np.flatnonzero(compared.explaining)]
    silent = {singles[i][0] for i in np.flatnonzero(compared.silent)}
    for pairs, on_disk in search.pairs(explaining, silent):
        found = search.match(pairs, on_disk=on_disk)
        if found:
            return search.distinct(found)
    return []


@dataclass(frozen=True)
class _Search:
    judge: Judge
    mistakes: Mistakes
    variants: Variants
    seen: Seen

    def compare(
        self, variants: Sequence[Variant], names: Sequence[str], *, on_disk: bool = False
    ) -> Comparisons:
        """Run variants on cases, and compare the submission with them."""
        observed = [self.seen.observed[name] for name in names]
        cases = [self.seen.cases[name] for name in names]
        results = self.variants.results(self.judge, variants, cases, on_disk=on_disk)
        return compare_candidates(observed, results, self.seen.noise)

    def pairs(
        self, explaining: Sequence[str], silent: set[str]
    ) -> Iterator[tuple[list[Variant], bool]]:
        """Yield likely pairs in two lots, each with whether it is worth keeping on disk.

        First come mistakes that explain some case each: of two in different halves of a
        computation, a probe that switches one half off shows the other alone. Then common ones; a
        mistake that would show in a case that is right is left out of these.
        """
        first = self._compatible(explaining[:_MOST_LOCAL])[:MOST_PAIRS]
        yield first, False
        common = [m.id for m in self.mistakes.known if m.common and m.id in silent]
        tried = set(first)
        rest = [pair for pair in self._compatible(common) if pair not in tried]
        # Without explaining and loud ones it is the same lot for every submission.
        usual = not first and len(common) == sum(m.common for m in self.mistakes.known)
        yield rest[: MOST_PAIRS - len(first)], usual

    def _compatible(self, ids: Sequence[str]) -> list[Variant]:
        return [pair for pair in itertools.combinations(ids, 2) if self.mistakes.compatible(*pair)]

    def match(self, variants: Sequence[Variant], *, on_disk: bool = False) -> list[Match]:
        """Match on the smallest wrong core case first, and the survivors on all of them."""
        core = self.seen.core
        wrong = [name for name in core if not self.seen.observed[name].right]
        if not variants or not wrong:
            return []
        smallest = min(wrong, key=lambda name: self.seen.cases[name].expected.size)
        near = LARGEST_DISTANCE * self.compare([], core).scale
        gaps = self.compare(variants, [smallest], on_disk=on_disk).gaps[0]
        # max|s - m| over all cases is at least that over one: what is too far here never matches.
        left = [variant for variant, gap in zip(variants, gaps, strict=True) if gap <= near]
        compared = self.compare(left, core)
        distances, agreeing = compared.distances, compared.agreeing
        return [Match(left[i], float(distances[i]), int(agreeing[i])) for i in compared.matches()]

    def distinct(self, found: Sequence[Match]) -> list[Match]:
        """Keep one of several that are the same function."""
        kept: dict[frozenset[str], Match] = {}
        for match in found:
            kept.setdefault(frozenset(map(self.mistakes.canonical, match.variant)), match)
        return list(kept.values())
