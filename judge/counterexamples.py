"""`testcases/counterexamples.json`: one small public case for each known mistake."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from judge.casefiles import decode_value, encode_value
from judge.faults import BundleError, Faults, did_you_mean
from judge.problem import Problem
from judge.signature import bind
from judge.testcases import FOLDER, load_cases

COUNTEREXAMPLES_FORMAT = 1
COUNTEREXAMPLES = "counterexamples.json"


@dataclass(frozen=True, eq=False)
class Counterexample:
    """A case on which a known mistake is wrong.

    Args:
        mistake: the mistake's id.
        inputs: arguments by parameter name, in the function's order.
        expected: the answer.
    """

    mistake: str
    inputs: dict[str, Any]
    expected: np.ndarray


class _Entry(msgspec.Struct, frozen=True):
    mistake: str
    input: dict[str, msgspec.Raw]
    expected: msgspec.Raw


class _File(msgspec.Struct, frozen=True):
    format: int
    made_by: str
    counterexamples: list[_Entry]


class _Name(msgspec.Struct, frozen=True):
    mistake: str


class _Names(msgspec.Struct, frozen=True):
    counterexamples: list[_Name]


def counterexample_names(problem: Problem) -> frozenset[str]:
    """Return the mistakes that have a counterexample; none where there is no readable file."""
    try:
        document = msgspec.json.decode(_path(problem).read_bytes(), type=_Names)
    except (OSError, msgspec.DecodeError):
        return frozenset()
    return frozenset(entry.mistake for entry in document.counterexamples)


def load_counterexamples(problem: Problem) -> dict[str, Counterexample]:
    """Read every counterexample, by its mistake's id.

    Raises:
        BundleError: the file is missing or broken, or an entry does not fit the signature.
    """
    faults = Faults(f"{FOLDER}/{COUNTEREXAMPLES}")
    try:
        document = msgspec.json.decode(_path(problem).read_bytes(), type=_File)
    except FileNotFoundError:
        faults.add("the file is missing; make it with: judge generate")
        raise BundleError(faults.found) from None
    except (OSError, msgspec.DecodeError) as error:
        faults.add(f"can't be read ({error}); make it again with: judge generate")
        raise BundleError(faults.found) from None
    if document.format != COUNTEREXAMPLES_FORMAT:
        faults.add(f"format {document.format}: this judge reads format {COUNTEREXAMPLES_FORMAT}")
    found = {}
    for entry in document.counterexamples:
        example = _decode(problem, entry, faults.scope(entry.mistake))
        if example is not None:
            found[entry.mistake] = example
    faults.raise_if_any()
    return found


def get_counterexample(problem: Problem, mistake: str) -> Counterexample:
    """Return a mistake's counterexample; raises KeyError with a sentence where there is none."""
    found = load_counterexamples(problem)
    if mistake not in found:
        near = did_you_mean(mistake, found)
        raise KeyError(f'there is no counterexample for "{mistake}"{near}')
    return found[mistake]


def secret_answers(problem: Problem, public: Collection[str]) -> set[bytes]:
    """Return the answers of all cases outside the public groups, as bytes.

    `judge generate` makes no counterexample with such an answer; one that got into a bundle in
    another way is not for learners.
    """
    cases = load_cases(problem)
    return {case.expected.tobytes() for case in cases if case.group not in public}


def counterexamples_made_by(problem: Problem) -> str | None:
    """Return the digest of what made the file; None where there is no readable file."""
    try:
        return msgspec.json.decode(_path(problem).read_bytes(), type=_File).made_by
    except (OSError, msgspec.DecodeError):
        return None


def encode_counterexamples(
    problem: Problem, examples: Sequence[Counterexample], made_by: str
) -> bytes:
    """Return the file's bytes, one counterexample a line; equal ones give equal bytes.

    Args:
        problem: the bundle, for the order of the parameters.
        examples: the counterexamples, in the order of the mistakes.
        made_by: digest of everything that decided them.
    """
    lines = []
    for example in examples:
        entry = {
            "mistake": example.mistake,
            "input": {
                parameter.name: encode_value(example.inputs[parameter.name])
                for parameter in problem.function.parameters
            },
            "expected": encode_value(example.expected),
        }
        lines.append(msgspec.json.encode(entry))
    body = b",\n".join(lines)
    head = f'{{"format": {COUNTEREXAMPLES_FORMAT}, "made_by": "{made_by}", "counterexamples": [\n'
    return head.encode("ascii") + body + b"\n]}\n"


def _decode(problem: Problem, entry: _Entry, faults: Faults) -> Counterexample | None:
    before = len(faults.found)
    inputs: dict[str, Any] = {}
    for parameter in problem.function.parameters:
        if parameter.name in entry.input:
            try:
                inputs[parameter.name] = decode_value(entry.input[parameter.name], parameter.kind)
            except ValueError as error:
                faults.scope(parameter.name).add(str(error))
    if len(faults.found) > before:
        return None
    sizes = problem.check_inputs(inputs, faults)
    try:
        expected = np.asarray(decode_value(entry.expected, problem.function.result))
    except ValueError as error:
        faults.scope("expected").add(str(error))
        return None
    if len(faults.found) > before:
        return None
    fault = bind(problem.function.result, expected, sizes)
    if fault:
        faults.scope("expected").add(fault)
        return None
    return Counterexample(entry.mistake, inputs, expected)


def _path(problem: Problem) -> Path:
    return problem.folder / FOLDER / COUNTEREXAMPLES
