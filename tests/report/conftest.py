"""The command line, and a few submissions of the kinds that reports differ in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.report.commands import Command

REFERENCE = ROOT / "reference" / "encoder_block.py"


@pytest.fixture
def judge(capsys) -> Command:
    return Command(capsys)


@pytest.fixture(scope="session")
def wrong(tmp_path_factory) -> Path:
    """A submission whose values are wrong: eps stands outside the root."""
    path = tmp_path_factory.mktemp("submissions") / "wrong.py"
    text = REFERENCE.read_text(encoding="utf-8")
    edited = text.replace("np.sqrt(variance + EPSILON)", "(np.sqrt(variance) + EPSILON)")
    assert edited != text
    path.write_text(edited, encoding="utf-8")
    return path


@pytest.fixture
def write(tmp_path):
    """Write a submission and return its path."""

    def write(source: str, name: str = "solution.py") -> Path:
        path = tmp_path / name
        path.write_text(source, encoding="utf-8")
        return path

    return write
