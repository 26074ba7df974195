"""Bundles of any number of small cases, for measuring how cost grows.

Their inputs come from the problem's own family; their answers from the NumPy reference, because
what is measured is time, and a proof of three thousand answers would change none of it.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec

from judge.authoring.generate.draw import Draw
from judge.authoring.modules import load_families, load_function
from judge.casefiles import encode_answer, encode_input
from judge.problem import Problem
from judge.testcases import CaseEntry, Manifest, load_manifest

SHAPES = (
    {"batch": 2, "sequence": 3, "d_model": 9, "num_heads": 3, "d_ff": 5},
    {"batch": 2, "sequence": 4, "d_model": 6, "num_heads": 2, "d_ff": 8},
    {"batch": 1, "sequence": 5, "d_model": 8, "num_heads": 4, "d_ff": 12},
)
"""Small, as most test cases are."""


def make_bundle(problem: Problem, folder: Path, count: int) -> Path:
    """Write a bundle with so many small cases, and return its folder.

    Args:
        problem: the bundle to take everything else from.
        folder: where to make it; must not exist.
        count: number of cases.
    """
    folder.mkdir(parents=True)
    for part in ("problem.yaml", "reference", "submissions/mistakes.yaml"):
        source = problem.folder / part
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, target)
    family = load_families(problem)["generic"]
    answer = load_function(problem, f"reference/{problem.function_file}")
    entries = []
    for number in range(count):
        name = f"secret/case-{number:05}"
        inputs = family(Draw(1, name, 0), dict(SHAPES[number % len(SHAPES)]))
        expected = answer(*(inputs[parameter.name] for parameter in problem.function.parameters))
        data, result = encode_input(inputs), encode_answer(expected)
        for ending, content in (("in", data), ("ans", result)):
            path = folder / "testcases" / f"{name}.{ending}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        entries.append(_entry(name, data, result))
    manifest = load_manifest(problem)
    made = Manifest(
        format=manifest.format,
        problem=problem.slug,
        seed=1,
        made_from={},
        tags=manifest.tags,
        cases=entries,
    )
    (folder / "testcases" / "manifest.json").write_bytes(msgspec.json.encode(made))
    return folder


def _entry(name: str, data: bytes, result: bytes) -> CaseEntry:
    return CaseEntry(
        name=name,
        group="secret",
        family="generic",
        attempt=0,
        tags=["core"],
        shows="a small case",
        shapes={},
        input_sha256=hashlib.sha256(data).hexdigest(),
        answer_sha256=hashlib.sha256(result).hexdigest(),
        precision=0,
        bound=0.0,
        made_by="",
    )
