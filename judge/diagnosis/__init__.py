"""Name the mistake: compare what a submission returned with what known mistakes return.

A submission is compared with every known mistake on the core cases, then with likely pairs of
them; then with kinds of fault that need no list (digits, axes, state). When nothing fits, that is
said, and where the error shows.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass

from judge.compare.elementwise import compare
from judge.counterexamples import counterexample_names
from judge.diagnosis import findings
from judge.diagnosis.known import Match, find_known
from judge.diagnosis.seen import Seen
from judge.diagnosis.variants import Variants, VariantsError
from judge.faults import BundleError
from judge.mistakes import Level, Mistakes
from judge.runner import Execution, Judge
from judge.sandbox.process import SandboxError
from judge.testcases import TagInfo, TestCase, load_manifest
from judge.verdicts import Diagnosis, Evidence, Reason

__all__ = ["Diagnosis", "diagnose"]

MOST_NAMED = 3

_DIAGNOSED = {Reason.VALUE, Reason.NON_FINITE, Reason.SHAPE, Reason.STATE}
_RUN_AGAIN = 2
_ALL_DIGITS = 1e-12


def diagnose(
    judge: Judge,
    execution: Execution,
    level: Level = "gentle",
    *,
    cases: Sequence[TestCase] | None = None,
) -> list[Diagnosis]:
    """Explain what is wrong with a submission.

    Args:
        judge: the judge that ran it; it runs the known mistakes in its sandbox.
        execution: what came of the run.
        level: how much the advice gives away: gentle, clear or explicit.
        cases: the cases it was judged on, where they are not the judge's own.

    Returns:
        The explanations, likeliest first; none when nothing is wrong, or only something that its
        verdict explains (an exception, a time-out, a wrong type).
    """
    if not any(result.reason in _DIAGNOSED for result in execution.report.cases):
        return []
    seen = Seen.of(judge.problem, judge.cases if cases is None else cases, execution)
    try:
        doctor = _DOCTORS.get(judge)
        if doctor is None:
            doctor = _DOCTORS[judge] = _Doctor.of(judge)
        return doctor.explain(judge, seen, execution.source, level)[:MOST_NAMED]
    except (SandboxError, BundleError, VariantsError):
        # The verdict stands without it; `judge verify` and `judge doctor` tell what is broken.
        return []


@dataclass(frozen=True)
class _Doctor:
    """What all diagnoses of one judge share."""

    mistakes: Mistakes
    variants: Variants
    tags: dict[str, TagInfo]
    counterexamples: frozenset[str]

    @staticmethod
    def of(judge: Judge) -> _Doctor:
        mistakes = Mistakes.load(judge.problem)
        tags = load_manifest(judge.problem).tags
        return _Doctor(mistakes, Variants(mistakes), tags, counterexample_names(judge.problem))

    def explain(self, judge: Judge, seen: Seen, source: bytes, level: Level) -> list[Diagnosis]:
        returned = self._returned(seen)
        if returned is not None:
            return [returned]
        found: list[Diagnosis] = []
        if seen.wrong:
            known = find_known(judge, self.mistakes, self.variants, seen)
            found = [self._name(match, level) for match in known]
            # A mistake that gives every digit of the results leaves no digits to be explained.
            if all(match.distance > _ALL_DIGITS for match in known):
                core = [seen.observed[name] for name in seen.core]
                digits = findings.precision(core, near=not known)
                found += [digits] if digits else []
        if found:
            return found
        special = _run_again(judge, seen, source) or self._overflow(seen, level)
        return [special or findings.where_it_shows(seen.outcomes, self.tags)]

    def _name(self, match: Match, level: Level) -> Diagnosis:
        made = [self.mistakes[mistake_id] for mistake_id in match.variant]
        return Diagnosis(
            id="+".join(match.variant),
            title=" and ".join(mistake.title for mistake in made),
            stage=" and ".join(dict.fromkeys(mistake.stage for mistake in made)),
            advice=" ".join(mistake.advise(level) for mistake in made),
            evidence=Evidence(match.agreeing, match.distance),
            counterexample=self._counterexample(*match.variant),
        )

    def _counterexample(self, *ids: str) -> str | None:
        return next((name for name in ids if name in self.counterexamples), None)

    def _returned(self, seen: Seen) -> Diagnosis | None:
        names = [parameter.name for parameter in seen.problem.function.parameters]
        pairs = [(seen.observed[name], seen.cases[name].inputs) for name in seen.core]
        return findings.returned_input(pairs, names) if seen.wrong else None

    def _overflow(self, seen: Seen, level: Level) -> Diagnosis | None:
        """Name a mistake by where NaN and infinity stand, when its results are not matched."""
        named = {t: proof.shown_by for t, proof in self.mistakes.tags.items() if proof.non_finite}
        known = findings.non_finite(seen.outcomes, self.tags, named)
        if known is None:
            return None
        mistake, sentence = self.mistakes[known[0]], known[1]
        return Diagnosis(
            id=mistake.id,
            title=mistake.title,
            stage=mistake.stage,
            advice=f"{sentence} {mistake.advise(level)}",
            counterexample=self._counterexample(mistake.id),
        )


_DOCTORS: weakref.WeakKeyDictionary[Judge, _Doctor] = weakref.WeakKeyDictionary()


def _run_again(judge: Judge, seen: Seen, source: bytes) -> Diagnosis | None:
    """Run a few failing cases again, each alone: for their shape, and for what is kept."""
    problem = judge.problem
    shaped = seen.failing(Reason.SHAPE)[:_RUN_AGAIN]
    again = shaped or seen.failing(Reason.VALUE, Reason.NON_FINITE, Reason.STATE)[:_RUN_AGAIN]
    results = []
    for case in again:
        outcome = judge.call(source, problem.function.name, [case.inputs])[0]
        if outcome.value is None or outcome.value.dtype != case.expected.dtype:
            return None
        results.append((outcome.value, case.expected))
    if not results:
        return None
    if not shaped and all(
        actual.shape == exact.shape and compare(actual, exact, problem.tolerance).accepted
        for actual, exact in results
    ):
        return findings.state()
    return findings.exchanged_axes(results, problem.function.result)
