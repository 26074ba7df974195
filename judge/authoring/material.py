"""What a bundle's texts are made from: its samples, reference, known mistakes and margins."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from judge.authoring.modules import load_module
from judge.faults import BundleError, Fault
from judge.mistakes import Mistake, Mistakes
from judge.problem import Problem
from judge.testcases import TestCase, load_cases, load_manifest


@dataclass(frozen=True)
class Sample:
    """A published case.

    Args:
        name: "sample/what-it-shows".
        shows: one sentence on why it is there.
        inputs: arguments by parameter name.
        expected: the answer, correctly rounded.
    """

    name: str
    shows: str
    inputs: Mapping[str, Any]
    expected: np.ndarray


@dataclass(frozen=True)
class Mistaken:
    """A known mistake and what it computes.

    Args:
        mistake: what it is.
        outputs: by case name, for the samples and the cases tagged "core"; None where it raises.
    """

    mistake: Mistake
    outputs: Mapping[str, np.ndarray | None]


@dataclass(frozen=True)
class Material:
    """Everything that templates and `generator/texts.py` may draw on.

    Args:
        problem: `problem.yaml`.
        samples: the cases of the group "sample", in the manifest's order.
        cases: every case.
        reference: the module `reference/FUNCTION.py`.
        starter: the text of `starter/FUNCTION.py`.
        mistakes: every known mistake, in the order of its file.
    """

    problem: Problem
    samples: tuple[Sample, ...]
    cases: tuple[TestCase, ...]
    reference: ModuleType
    starter: str
    mistakes: tuple[Mistaken, ...]


def gather(problem: Problem) -> Material:
    """Collect a bundle's material.

    Raises:
        BundleError: cases, reference or starter are missing or broken.
    """
    cases = tuple(load_cases(problem))
    shows = {entry.name: entry.shows for entry in load_manifest(problem).cases}
    names = [parameter.name for parameter in problem.function.parameters]
    samples = tuple(
        Sample(
            case.name, shows[case.name], dict(zip(names, case.inputs, strict=True)), case.expected
        )
        for case in cases
        if case.group == "sample"
    )
    reference = f"reference/{problem.function_file}"
    starter = f"starter/{problem.function_file}"
    try:
        text = (problem.folder / starter).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BundleError([Fault(starter, f"can't be read: {error}")]) from error
    return Material(
        problem=problem,
        samples=samples,
        cases=cases,
        reference=load_module(problem.folder / reference, reference),
        starter=text,
        mistakes=tuple(_run_mistakes(problem, cases)),
    )


def _run_mistakes(problem: Problem, cases: Iterable[TestCase]) -> Iterable[Mistaken]:
    """Run every known mistake on the cases that a text may quote.

    They run in this process: they are edits of the bundle's own reference, and this is authoring.
    """
    shown = [case for case in cases if case.group == "sample" or "core" in case.tags]
    mistakes = Mistakes.load(problem)
    for mistake in mistakes.known:
        namespace: dict[str, Any] = {"__name__": f"mistake {mistake.id}"}
        code = compile(mistakes.source(mistake.id), f"<{mistake.id}>", "exec")
        exec(code, namespace)  # noqa: S102 (the bundle's own reference)
        function = namespace[problem.function.name]
        outputs = {case.name: _output(function, case) for case in shown}
        yield Mistaken(mistake, outputs)


def _output(function: Callable[..., Any], case: TestCase) -> np.ndarray | None:
    inputs = [value.copy() if isinstance(value, np.ndarray) else value for value in case.inputs]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(function(*inputs))
    except Exception:  # noqa: BLE001 (a mistake may fail in any way; the text says that it does)
        return None
