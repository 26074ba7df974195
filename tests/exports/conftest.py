"""The bundle as targets see it and its packages, made once for all tests."""

from __future__ import annotations

import functools
import shutil
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from judge.authoring.export import Export, Options, make
from judge.authoring.export.bundle import Bundle, gather
from judge.problem import Problem
from tests.conftest import ROOT

CONTAINERS = ("gradescope", "prairielearn")


@pytest.fixture(scope="session")
def described(problem: Problem) -> Bundle:
    """This repository's bundle, as all targets see it."""
    return gather(problem)


@pytest.fixture(scope="session")
def made(described: Bundle, unlocked: Bundle, wheels: Path) -> Callable[[str], Export]:
    """Return a target's package; for containers with stand-ins for the wheels."""

    @functools.cache
    def package(target: str) -> Export:
        if target in CONTAINERS:
            return make(unlocked, target, Options(wheels=wheels))
        return make(described, target)

    return package


@pytest.fixture(scope="session")
def unlocked(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The same bundle without a lock that would tell stand-ins from real wheels."""
    return gather(Problem.load(copy_bundle(tmp_path_factory.mktemp("unlocked") / "bundle")))


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that are called like the wheels of every Python."""
    folder = tmp_path_factory.mktemp("wheels")
    for python in ("311", "312", "313", "314"):
        for name in ("msgspec", "pyyaml", "numpy"):
            tag = f"cp{python}-cp{python}-manylinux_2_28_x86_64"
            with zipfile.ZipFile(folder / f"{name}-{version(name)}-{tag}.whl", "w") as archive:
                archive.writestr(f"{name}/__init__.py", "")
    return folder


def copy_bundle(folder: Path) -> Path:
    """Copy what of this repository is the bundle, its texts and licence included."""
    parts = (
        "problem.yaml",
        "generator",
        "reference",
        "starter",
        "testcases",
        "submissions",
        "docs",
    )
    folder.mkdir(parents=True)
    for name in (*parts, "statement.md", "theory.md", "LICENSE"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder
