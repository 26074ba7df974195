"""Packages of a bundle for systems that people already use: one module a target.

A target is a module of this package with a `TARGET` and a function `export(bundle, options)`. All
start from the same description (`bundle.Bundle`); `export` writes what they return.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from judge import __version__
from judge.authoring.export.bundle import Bundle, gather
from judge.authoring.export.tree import Tree
from judge.authoring.generate.folder import write_folder
from judge.faults import BundleError, Fault
from judge.problem import Problem, bundle_digest

MODULES = (
    "kattis_2025_09",
    "kattis_2023_07_draft",
    "bapctools",
    "gradescope",
    "prairielearn",
    "handout",
)
"""The modules of all targets, in the order in which they are listed."""

MARK = "export.json"
"""The file that tells a folder written by an export from one that holds anything else."""

EXPORT_FORMAT = 1


@dataclass(frozen=True)
class Target:
    """A system that packages are written for.

    Args:
        name: as the command line knows it.
        summary: one line: what is written, and for whom.
    """

    name: str
    summary: str


@dataclass(frozen=True)
class Options:
    """What a user may choose.

    Args:
        pythons: Python versions ("3.12") whose packages travel with a container's judge; the
            target's own choice when empty.
        numpy: whether NumPy travels as well; the target's own choice when None.
        wheels: folder with wheels to use, so that nothing is downloaded.
    """

    pythons: tuple[str, ...] = ()
    numpy: bool | None = None
    wheels: Path | None = None


@dataclass(frozen=True)
class Export:
    """What a target makes of a bundle.

    Args:
        files: everything, by path below the output folder.
        archives: which of its folders become a zip: name of the zip to folder, and whether the
            folder itself stands in the zip.
        left_out: one sentence for each thing of the bundle that the target can't hold.
    """

    files: Tree
    archives: Mapping[str, tuple[str, bool]]
    left_out: list[str] = field(default_factory=list)

    def archive(self, name: str) -> bytes:
        """Return one of the zips."""
        folder, with_folder = self.archives[name]
        part = self.files.below(folder)
        if with_folder:
            outer = Tree()
            outer.graft(folder.rpartition("/")[2], part)
            part = outer
        return part.zip()


def targets() -> dict[str, Target]:
    """Return every target by name."""
    found = (_module(name).TARGET for name in MODULES)
    return {target.name: target for target in found}


def make(bundle: Bundle, target: str, options: Options | None = None) -> Export:
    """Make a target's package of a bundle, without writing it.

    Raises:
        BundleError: something that the target needs is missing or can't be expressed.
        KeyError: there is no such target.
    """
    names = {_module(name).TARGET.name: name for name in MODULES}
    return _module(names[target]).export(bundle, options or Options())


def export(
    problem: Problem,
    target: str,
    output: Path,
    *,
    options: Options | None = None,
    zipped: bool = False,
) -> Export:
    """Write a target's package into a folder, whole or not at all.

    Args:
        problem: the bundle.
        target: the target's name.
        output: the folder; what an earlier export wrote there is replaced.
        options: what the user chose.
        zipped: whether to write the archives as well.

    Raises:
        BundleError: the bundle lacks something, or the folder holds something else.
        OSError: the folder can't be written.
    """
    check_output(output)
    made = make(gather(problem), target, options)
    files = Tree()
    files.graft("", made.files)
    if zipped:
        for name in made.archives:
            files.add(name, made.archive(name))
    files.add(MARK, _mark(problem, target))
    write_folder(output, files.files, programs=files.programs)
    return made


def check_output(output: Path) -> None:
    """Raise BundleError when a folder is there that no export has written."""
    if output.is_file():
        raise BundleError([Fault(str(output), "is a file; name a folder with --output")])
    if output.is_dir() and any(output.iterdir()) and not (output / MARK).is_file():
        message = f"holds other files (no {MARK}); name a new folder with --output, or empty it"
        raise BundleError([Fault(str(output), message)])


def _mark(problem: Problem, target: str) -> str:
    document = {
        "format": EXPORT_FORMAT,
        "target": target,
        "problem": problem.slug,
        "version": problem.version,
        "judge": __version__,
        "bundle": bundle_digest(problem.folder),
    }
    return json.dumps(document, indent=1) + "\n"


class _Module(Protocol):
    """What the module of a target has."""

    TARGET: Target

    @staticmethod
    def export(bundle: Bundle, options: Options) -> Export:
        """Make the package; see `make`."""


def _module(name: str) -> _Module:
    return cast("_Module", importlib.import_module(f"judge.authoring.export.{name}"))
