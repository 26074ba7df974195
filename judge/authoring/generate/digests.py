"""Digests of everything that decides the content of test cases, so that nothing stale passes."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
from pathlib import Path

import msgspec

from judge.authoring.generate.plan import CasePlan, Plan
from judge.casefiles import CASE_FORMAT
from judge.problem import Problem

FLINT = "flint"

_HERE = Path(__file__).parent


def made_from(problem: Problem) -> dict[str, str]:
    """Return the digest or version of each thing that every case depends on.

    `flint` is missing where python-flint is not installed: a judge without the authoring tools
    can check all the rest.
    """
    function = problem.function
    # Types and order decide the content; what is said about a parameter does not.
    types = [[parameter.name, parameter.type] for parameter in function.parameters]
    signature = msgspec.json.encode([function.name, types, function.returns])
    rules = msgspec.json.encode([problem.constraints, problem.tolerance])
    found = {
        "generator": _files(problem.folder / "generator" / "families.py"),
        "exact reference": _files(problem.folder / "reference" / "exact.py"),
        "signature": _digest(signature),
        "constraints and tolerance": _digest(rules),
        "arithmetic": _files(*sorted((_HERE.parent / "arithmetic").glob("*.py"))),
        "drawing": _files(_HERE / "draw.py"),
        "case format": str(CASE_FORMAT),
    }
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        found[FLINT] = importlib.metadata.version("python-flint")
    return found


def case_digest(case: CasePlan, plan: Plan, seed: int, common: dict[str, str]) -> str:
    """Return the digest of what made one case: its entry, its tags' rules, the seed, the rest."""
    document = {
        "case": msgspec.to_builtins(case),
        "tags": {tag: rule.holds for tag, rule in plan.tags.items() if rule.holds},
        "seed": seed,
        "common": common,
    }
    return _digest(msgspec.json.encode(document, order="deterministic"))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _files(*paths: Path) -> str:
    return _digest(b"\0".join(path.read_bytes() if path.is_file() else b"" for path in paths))
