"""Imports run one way, and neither half of the house knows the other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conftest import ROOT

ROOMS = [
    {"faults", "cache", "arrays"},
    {"verdicts", "yamlfile"},
    {"signature", "constraints"},
    {"problem"},
    {"casefiles", "compare", "source"},
    {"testcases"},
    {"bundle"},
    {"sandbox"},
    {"wording", "prepared"},
    {"attempt"},
    {"calls"},
    {"runner"},
    {"mistakes", "counterexamples"},
    {"diagnosis"},
    {"report"},
    {"batch"},
    {"web"},
    {"cli"},
    {"__main__"},
]
"""The way of a submission: each room imports only what stands in rooms before it, or itself."""

AUTHORING_MAY_NOT = {"web", "cli", "__main__"}
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}

WORDS = ("attention", "softmax", "encoder", "d_model", "num_heads", "d_ff", "layer norm", "relu")


def imported(path: Path) -> set[str]:
    """Return the rooms of judge/ that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "judge" and len(parts) > 1:
                found.add(parts[1])
    return found


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "judge").parts[0].removesuffix(".py")


MODULES = sorted((ROOT / "judge").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_what_stands_before_it(path):
    room = room_of(path)
    rooms = imported(path) - {room, "__version__", "__init__"}
    if room == "__init__":
        assert rooms == set()
    elif room == "authoring":
        assert not rooms & AUTHORING_MAY_NOT
    elif room == "cli":
        assert rooms <= LEVEL.keys() | {"authoring"}
    else:
        assert room in LEVEL, f"{room} has no place in ROOMS"
        assert {name for name in rooms if LEVEL.get(name, 99) > LEVEL[room]} == set()
        assert {name for name in rooms if LEVEL[name] == LEVEL[room]} == set()


def test_the_worker_knows_the_wire_format_alone():
    tree = ast.parse((ROOT / "judge/sandbox/worker.py").read_bytes())
    modules = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("judge")
        for alias in node.names
    }
    assert all(name.startswith("judge.sandbox.") for name in modules)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_judge_knows_no_encoder_block(path):
    text = path.read_text(encoding="utf-8").lower().replace("encoder-block-judge", "")
    # The vocabulary of exact arithmetic is for every exercise: softmax and layer norms are in it.
    if "arithmetic" in path.parts:
        text = text.replace("softmax", "").replace("layer_norm", "").replace("layer norm", "")
        text = text.replace("relu", "")
    assert [word for word in WORDS if word in text] == []


BUNDLE = [
    path
    for folder in ("reference", "generator", "starter", "submissions")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def test_bundle_folders_import_nothing_of_the_judge():
    guilty = []
    for path in BUNDLE:
        if {"hostile", "compile_error"} & set(path.parts):
            continue  # some are no Python, and what those that attack import is their matter
        if imported(path):
            guilty.append(str(path.relative_to(ROOT)))
    assert guilty == []


def test_the_exact_references_import_nothing_at_all():
    for name in ("exact.py", "second_opinion.py"):
        tree = ast.parse((ROOT / "reference" / name).read_bytes())
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
        assert [n for n in imports if getattr(n, "module", "") != "__future__"] == []
