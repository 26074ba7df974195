"""Test cases on disk: the manifest that names them in order, and the cases it names."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from judge.arrays import Array, as_numpy
from judge.casefiles import read_answer, read_input
from judge.faults import BundleError, Fault, Faults
from judge.problem import Problem
from judge.signature import bind

if TYPE_CHECKING:
    import numpy as np

MANIFEST_FORMAT = 1
FOLDER = "testcases"
MANIFEST = "manifest.json"


class CaseEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the manifest says of one case.

    Args:
        name: group and what the case shows ("secret/near-eps-rows"); also its path.
        group: its group.
        family: the family of inputs it was drawn from; "given" when written out by hand.
        attempt: which draw was kept, from 0.
        tags: what the judge may know about the case ("core", "probe", "multi-head", …).
        shows: one sentence on why the case is there.
        shapes: shape of every array parameter.
        input_sha256: digest of `NAME.in.json`.
        answer_sha256: digest of `NAME.ans.json`.
        precision: bits at which every element's rounding was proved.
        bound: worst-case error of a sane float64 implementation, in the metric
            |actual - exact| / (1 + |exact|), rounded up to two digits.
        made_by: digest of the case's entry in `cases.yaml` and of everything in `made_from`.
    """

    name: str
    group: str
    family: str
    attempt: int
    tags: list[str]
    shows: str
    shapes: dict[str, list[int]]
    input_sha256: str
    answer_sha256: str
    precision: int
    bound: float
    made_by: str


class TagInfo(msgspec.Struct, frozen=True):
    """What a tag says of the cases that carry it.

    Args:
        text: in words, as in "more than one head".
        switches_off: for a probe, the half of the computation that adds nothing in it.
    """

    text: str
    switches_off: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`testcases/manifest.json`: every case in order, and what made them.

    Args:
        format: `MANIFEST_FORMAT`.
        problem: the problem's name in files, "row-sums".
        seed: the bundle seed the cases were drawn with.
        made_from: digest or version of each thing that decides the cases' content: "generator",
            "exact reference", "signature", "tolerance", "arithmetic", "flint".
        tags: what each tag says.
        cases: every case, in the order of `cases.yaml`.
    """

    format: int
    problem: str
    seed: int
    made_from: dict[str, str]
    tags: dict[str, TagInfo]
    cases: list[CaseEntry]


class TestCase(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A case ready to be judged.

    Args:
        name: "group/what-it-shows".
        group: its group.
        tags: what the judge may know about it.
        arguments: the arguments in the function's order: arrays and Python values.
        answer: the answer (shape () for a scalar).
    """

    __test__ = False  # its name is the field's term, not a test of pytest's

    name: str
    group: str
    tags: tuple[str, ...]
    arguments: tuple[Array | bool | int | float | str, ...]
    answer: Array

    @functools.cached_property
    def inputs(self) -> tuple[Any, ...]:
        """The arguments with NumPy arrays, made when they are first asked for."""
        return tuple(map(as_numpy, self.arguments))

    @functools.cached_property
    def expected(self) -> np.ndarray:
        """The answer as a NumPy array, made when it is first asked for."""
        return self.answer.numpy()

    @staticmethod
    def of(
        name: str, group: str, tags: tuple[str, ...], inputs: Sequence[Any], expected: np.ndarray
    ) -> TestCase:
        """Make a case of NumPy arrays and Python values."""
        arguments = [value if (own := Array.of(value)) is None else own for value in inputs]
        answer = Array.of(expected)
        if answer is None:
            raise TypeError(f"the answer must be an array, got {type(expected).__name__}")
        return TestCase(name, group, tags, tuple(arguments), answer)


def load_manifest(problem: Problem) -> Manifest:
    """Read a bundle's manifest.

    Raises:
        BundleError: it is missing or broken; the message says how to make it.
    """
    where = f"{FOLDER}/{MANIFEST}"
    path = problem.folder / FOLDER / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        fault = Fault(where, "the file is missing; make it with: judge generate")
        raise BundleError([fault]) from None
    except (OSError, msgspec.DecodeError) as error:
        fault = Fault(where, f"can't be read ({error}); make it again with: judge generate")
        raise BundleError([fault]) from None
    faults = Faults(where)
    if manifest.format != MANIFEST_FORMAT:
        faults.add(f"format {manifest.format}: this judge reads format {MANIFEST_FORMAT}")
    groups = problem.weights
    for entry in manifest.cases:
        if entry.group not in groups:
            faults.add(f'case {entry.name}: problem.yaml has no group "{entry.group}"')
    faults.raise_if_any()
    return manifest


def load_cases(problem: Problem, names: Iterable[str] | None = None) -> list[TestCase]:
    """Read the test cases of a bundle in the manifest's order.

    Args:
        problem: the bundle.
        names: which cases; all when None.

    Raises:
        BundleError: a file is missing, was edited since the manifest was written, or does not fit
            the signature; all such faults at once.
    """
    manifest = load_manifest(problem)
    wanted = None if names is None else set(names)
    faults = Faults(FOLDER)
    cases = []
    for entry in manifest.cases:
        if wanted is not None and entry.name not in wanted:
            continue
        case = _load_case(problem, entry, faults.found)
        if case is not None:
            cases.append(case)
    faults.raise_if_any()
    return cases


def _load_case(problem: Problem, entry: CaseEntry, found: list[Fault]) -> TestCase | None:
    before = len(found)
    contents: dict[str, bytes] = {}
    for ending, digest in (("in", entry.input_sha256), ("ans", entry.answer_sha256)):
        faults = Faults(f"{FOLDER}/{entry.name}.{ending}.json", found=found)
        try:
            data = (problem.folder / FOLDER / f"{entry.name}.{ending}.json").read_bytes()
        except OSError as error:
            reason = "is missing" if isinstance(error, FileNotFoundError) else f"{error.strerror}"
            faults.add(f"the file {reason}; make it again with: judge generate")
            continue
        if hashlib.sha256(data).hexdigest() != digest:
            faults.add(
                "the file is not the one in the manifest (edited or cut short); "
                "make it again with: judge generate"
            )
            continue
        contents[ending] = data
    if len(found) > before:
        return None
    faults = Faults(f"{FOLDER}/{entry.name}.in.json", found=found)
    inputs = read_input(contents["in"], problem, faults)
    if len(found) > before:
        return None
    sizes = problem.check_inputs(inputs, faults)
    faults = Faults(f"{FOLDER}/{entry.name}.ans.json", found=found)
    expected = read_answer(contents["ans"], problem.function.result, faults)
    if expected is not None and len(found) == before:
        fault = bind(problem.function.result, expected, sizes)
        if fault:
            faults.add(fault)
    if len(found) > before or expected is None:
        return None
    arguments = tuple(inputs[parameter.name] for parameter in problem.function.parameters)
    return TestCase(entry.name, entry.group, tuple(entry.tags), arguments, expected)
