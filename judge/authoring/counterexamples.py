"""One small public case for every known mistake: nobody has to see a secret case to debug."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from judge.authoring.fresh import fresh_cases
from judge.authoring.generate.digests import FLINT, made_from
from judge.authoring.generate.make import EXACT_FILE, arguments, largest_bound
from judge.authoring.generate.parallel import in_parallel, usable_cores
from judge.authoring.modules import load_function
from judge.authoring.shrink import Inputs, Shrinker, Test, weight
from judge.cache import cache_folder, read_cached, write_cached
from judge.counterexamples import Counterexample, encode_counterexamples
from judge.faults import BundleError
from judge.mistakes import FILE, PRECISION, Mistakes
from judge.problem import Problem
from judge.report import PUBLIC_GROUPS
from judge.testcases import TestCase

Function = Callable[..., Any]
Progress = Callable[[int, int, str], None]

_PLAIN_TO_SEE = 0.02
"""An error of this size is seen in printed numbers; more is not asked for."""

_PART_OF_BEST = 0.1
"""Where no case shows a mistake that plainly, a tenth of what its best case shows will do."""

_ABOVE_TOLERANCE = 1.2
_LARGE = 64
"""Where a counterexample has more numbers than this, small cases are scaled up instead."""

_FACTORS = (10.0, 30.0, 100.0)
_DRAWN = 40
"""Fresh cases tried where a mistake shows in no test case that may be published."""

_LOTS_PER_JOB = 4


def make_counterexamples(
    problem: Problem,
    cases: Sequence[TestCase],
    progress: Progress = lambda done, total, name: None,
    jobs: int | None = None,
) -> bytes:
    """Make the content of `counterexamples.json`.

    Each starts from the smallest test case that shows its mistake plainly, is shrunk, admitted by
    its error bound like any case, and its answer is proved. None of them is a secret case, nor has
    the answer of one. A mistake below the tolerance has none.

    Args:
        problem: the bundle.
        cases: its test cases.
        progress: told of every mistake that is done.
        jobs: processes; as many as this process may use cores when None.

    Returns:
        The file's bytes, equal on every machine.

    Raises:
        BundleError: the mistakes or the references are broken.
    """
    mistakes = Mistakes.load(problem)
    made_by = examples_digest(problem, cases)
    path = cache_folder() / "counterexamples" / f"{made_by}.json"
    kept = read_cached(path)
    if kept is not None:
        return kept
    ids = [mistake.id for mistake in mistakes.known]
    count = _LOTS_PER_JOB * (jobs or usable_cores())
    lots = [lot for start in range(count) if (lot := ids[start::count])]
    found: dict[str, Counterexample] = {}
    done = 0
    for name, made in in_parallel(partial(_make_some, problem.folder, list(cases)), lots, jobs):
        found.update({example.mistake: example for example in made})
        done += len(ids[ids.index(name) :: count])
        progress(done, len(ids), name)
    examples = [found[mistake_id] for mistake_id in ids if mistake_id in found]
    data = encode_counterexamples(problem, examples, made_by)
    write_cached(path, data)
    return data


def _make_some(
    folder: Path, cases: Sequence[TestCase], ids: Sequence[str]
) -> tuple[str, list[Counterexample]]:
    problem = Problem.load(folder)
    workshop = Workshop.of(problem)
    mistakes = Mistakes.load(problem)
    made = [workshop.example(mistakes, mistake_id, cases) for mistake_id in ids]
    return ids[0], [example for example in made if example is not None]


@dataclass(frozen=True)
class Workshop:
    """What making cases takes: the problem and both its references."""

    problem: Problem
    reference: Function
    exact: Function

    @staticmethod
    def of(problem: Problem) -> Workshop:
        """Load both references of a bundle."""
        reference = load_function(problem, f"reference/{problem.function_file}")
        return Workshop(problem, reference, load_function(problem, EXACT_FILE))

    def example(
        self, mistakes: Mistakes, mistake_id: str, cases: Sequence[TestCase]
    ) -> Counterexample | None:
        """Make the counterexample of one mistake; None where no case shows it.

        Whatever is kept has another answer than every secret case: counterexamples are published.
        """
        try:
            mistaken = compiled(mistakes.source(mistake_id), self.problem.function.name)
        except Exception:  # noqa: BLE001 (the mistake's own fault, which `judge verify` tells)
            return None
        errors = [(case, error_of(mistaken, case.inputs, case.expected)) for case in cases]
        best = max((error for _, error in errors), default=0.0)
        floor = _ABOVE_TOLERANCE * largest_bound(self.problem)
        if not best > floor:
            return None
        # How large an error of single precision is depends on the machine; that there is one of
        # more than the tolerance does not. So nothing is decided by its size, nor shrunk by it.
        digits = mistakes[mistake_id].stage == PRECISION
        enough = floor if digits else max(min(_PLAIN_TO_SEE, _PART_OF_BEST * best), floor)
        names = [parameter.name for parameter in self.problem.function.parameters]
        secret = [case.expected for case in cases if case.group not in PUBLIC_GROUPS]

        def shows(candidate: Inputs) -> bool:
            given = arguments(self.problem, candidate)
            right = quietly(self.reference, given)
            if right is None or not np.isfinite(right).all():
                return False
            if error_of(mistaken, given, right) < enough:
                return False
            return not any(self._same(right, answer) for answer in secret)

        plain = dict(zip(names, cases[0].inputs, strict=True))
        shrinker = Shrinker(self.problem, shows, self.admits, plain)
        showing = sorted((case for case, error in errors if error >= enough), key=_weight)
        for start in itertools.chain(showing, self._drawn()):
            inputs = dict(zip(names, start.inputs, strict=True))
            if not digits:
                inputs = shrinker.shrink(inputs)
                if weight(inputs) > _LARGE:
                    inputs = shrinker.shrink(self._scaled(cases, inputs, shows))
            # A secret case that nothing could be taken from is still that case.
            if shows(inputs):
                return Counterexample(mistake_id, inputs, self.answer(inputs))
        return None

    def _drawn(self) -> Iterator[TestCase]:
        """Draw fresh cases, which are no test cases; none where the bundle has no families."""
        with contextlib.suppress(BundleError):
            yield from itertools.islice(fresh_cases(self.problem, self.problem.seed), _DRAWN)

    def _same(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Tell whether a submission that gives one answer would be accepted with the other."""
        tolerance = self.problem.tolerance
        return one.shape == other.shape and bool(
            np.allclose(one, other, rtol=tolerance.relative, atol=tolerance.absolute)
        )

    def _scaled(self, cases: Sequence[TestCase], inputs: Inputs, shows: Test) -> Inputs:
        """Look for a small case with one argument scaled up: it is simpler than a large one cut.

        Returns:
            The smallest such case that shows the fault and is admitted; the inputs given, if none
            is smaller.
        """
        for case in sorted(cases, key=_weight):
            if _weight(case) >= weight(inputs):
                break
            given = dict(zip(inputs, case.inputs, strict=True))
            for name, factor in itertools.product(given, _FACTORS):
                if isinstance(given[name], np.ndarray) and given[name].dtype == np.float64:
                    candidate = {**given, name: given[name] * factor}
                    if shows(candidate) and self.admits(candidate):
                        return candidate
        return inputs

    def admits(self, inputs: Inputs) -> bool:
        """Tell whether the error bound admits inputs as a case."""
        from judge.authoring.arithmetic import bound

        return bound(self.exact, arguments(self.problem, inputs)) <= largest_bound(self.problem)

    def answer(self, inputs: Inputs) -> np.ndarray:
        """Prove the answer of some inputs."""
        from judge.authoring.arithmetic import prove

        return prove(self.exact, arguments(self.problem, inputs)).values


def compiled(source: str, function: str) -> Function:
    """Return a function of a source text, run in this process: for a bundle's own code only."""
    namespace: dict[str, Any] = {"__name__": "reference"}
    exec(compile(source, "reference", "exec"), namespace)  # noqa: S102 (the bundle's own code)
    made: Function = namespace[function]
    return made


def quietly(function: Function, given: Sequence[Any]) -> np.ndarray | None:
    """Call a function on copies; None when it raises or returns no array of numbers."""
    own = [value.copy() if isinstance(value, np.ndarray) else value for value in given]
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        return np.asarray(function(*own), dtype=np.float64)
    return None


def error_of(function: Function, given: Sequence[Any], right: np.ndarray) -> float:
    """Return max|actual - right| / (1 + |right|): infinite for NaN, -1 where it gives no result.

    A mistake that raises or returns another shape needs no counterexample to be seen.
    """
    actual = quietly(function, given)
    if actual is None or actual.shape != right.shape:
        return -1.0
    with np.errstate(all="ignore"):
        errors = np.abs(actual - right) / (1 + np.abs(right))
    return float(np.where(np.isnan(errors), np.inf, errors).max(initial=0.0))


def _weight(case: TestCase) -> int:
    return sum(value.size for value in case.inputs if isinstance(value, np.ndarray))


def examples_digest(problem: Problem, cases: Sequence[TestCase]) -> str:
    """Return the digest of everything that decides the counterexamples."""
    here = Path(__file__)
    files = [here, here.with_name("shrink.py"), here.with_name("fresh.py"), problem.folder / FILE]
    files.append(problem.folder / "reference" / problem.function_file)
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest())
    common = {name: value for name, value in made_from(problem).items() if name != FLINT}
    digest.update(msgspec.json.encode(common, order="deterministic"))
    for case in cases:
        digest.update(case.name.encode())
        for value in case.inputs:
            data = value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()
