"""One plain description of a bundle, from which every target makes its package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.authoring.export.known import Known, known_submissions
from judge.authoring.export.statement import Statement
from judge.faults import BundleError, Fault
from judge.problem import Problem
from judge.report import PUBLIC_GROUPS
from judge.testcases import FOLDER, CaseEntry, Manifest, load_cases, load_manifest


@dataclass(frozen=True, eq=False)
class Case:
    """A test case.

    Args:
        entry: what the manifest says of it.
        public: whether learners may see it.
        input: the bytes of its input file.
        answer: the bytes of its answer file.
        expected: the answer.
    """

    entry: CaseEntry
    public: bool
    input: bytes
    answer: bytes
    expected: NDArray[Any]

    @property
    def short(self) -> str:
        """Its name without the group."""
        return self.entry.name.partition("/")[2]


@dataclass(frozen=True, eq=False)
class Bundle:
    """Everything of a bundle that an export may need.

    Args:
        problem: `problem.yaml`.
        manifest: what is known of the cases.
        cases: every case, in the manifest's order.
        statement: the rendered statement.
        starter: the file a learner starts from.
        known: submissions with their verdicts.
        texts: Markdown files and figures at learners' disposal, by path in the bundle.
        licence: the text of LICENSE.
    """

    problem: Problem
    manifest: Manifest
    cases: tuple[Case, ...]
    statement: Statement
    starter: bytes
    known: tuple[Known, ...]
    texts: Mapping[str, bytes]
    licence: bytes

    @property
    def short_name(self) -> str:
        """The name in lower-case letters and digits alone, as package folders want it."""
        return re.sub(r"[^a-z0-9]", "", self.problem.slug)

    @property
    def public(self) -> tuple[Case, ...]:
        """The cases that learners may see."""
        return tuple(case for case in self.cases if case.public)


def gather(problem: Problem) -> Bundle:
    """Read a bundle.

    Raises:
        BundleError: with everything that is missing or broken.
    """
    faults: list[Fault] = []
    manifest = load_manifest(problem)
    loaded = {case.name: case for case in load_cases(problem)}
    statement = _read(problem, "statement.md", faults, "render it with: judge statement")
    starter = _read(problem, f"starter/{problem.function_file}", faults)
    licence = _read(problem, "LICENSE", faults)
    known = known_submissions(problem, faults)
    if not any(entry.group in PUBLIC_GROUPS for entry in manifest.cases):
        groups = " or ".join(sorted(PUBLIC_GROUPS))
        faults.append(Fault("testcases/manifest.json", f"no case of group {groups} to be shown"))
    if faults:
        raise BundleError(faults)
    folder = problem.folder / FOLDER
    cases = tuple(
        Case(
            entry,
            entry.group in PUBLIC_GROUPS,
            (folder / f"{entry.name}.in.json").read_bytes(),
            (folder / f"{entry.name}.ans.json").read_bytes(),
            np.asarray(loaded[entry.name].expected),
        )
        for entry in manifest.cases
    )
    return Bundle(
        problem,
        manifest,
        cases,
        Statement.parse(statement.decode("utf-8")),
        starter,
        tuple(known),
        _texts(problem.folder),
        licence,
    )


def data(name: str) -> str:
    """Return the text of one of the files that packages are made from."""
    folder = resources.files("judge.authoring.export").joinpath("data")
    return folder.joinpath(*name.split("/")).read_text(encoding="utf-8")


def _read(problem: Problem, name: str, faults: list[Fault], advice: str = "") -> bytes:
    try:
        return (problem.folder / name).read_bytes()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        reason = "the file is missing" if missing else f"can't be read: {error.strerror}"
        faults.append(Fault(name, f"{reason}; {advice}" if advice else reason))
        return b""


def _texts(folder: Path) -> dict[str, bytes]:
    """Return the rendered Markdown files and the figures that they show."""
    names = [name for name in ("statement.md", "theory.md") if (folder / name).is_file()]
    texts = {name: (folder / name).read_bytes() for name in names}
    for name in names:
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", texts[name].decode("utf-8")):
            if (folder / target).is_file():
                texts[target] = (folder / target).read_bytes()
    return texts
