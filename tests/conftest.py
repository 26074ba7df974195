"""What all tests share: the bundle of this repository, and copies of it that a test may break."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from judge.problem import Problem

# How long an example takes says nothing on a machine that is busy with something else.
settings.register_profile("judge", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("judge")

ROOT = Path(__file__).parent.parent

_STAGE = re.compile(r"^pytestmark = pytest\.mark\.([a-z]+)$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files of stages that this run leaves out: they import what only those install."""
    wanted = config.option.markexpr
    if not wanted or collection_path.suffix != ".py" or not collection_path.is_file():
        return None
    stages = set(_STAGE.findall(collection_path.read_text(encoding="utf-8")))
    left_out = set(re.findall(r"not ([a-z]+)", wanted))
    alone = {wanted} if wanted.isalpha() else stages
    return True if stages and (stages & left_out or not stages & alone) else None


BUNDLE_PARTS = ("problem.yaml", "generator", "reference", "starter", "testcases", "submissions")


@pytest.fixture(scope="session")
def problem() -> Problem:
    """The problem of this repository."""
    return Problem.load(ROOT)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of this repository's bundle, to be changed at will."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    for name in BUNDLE_PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, folder / name)
    return folder
