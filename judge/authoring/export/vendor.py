"""The packages that the judge needs, as wheels that travel with it: nothing is fetched later.

Versions are those installed here; where the bundle has a `requirements.lock`, every wheel must have
one of its hashes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from judge.authoring.export.tree import Tree
from judge.cache import cache_folder
from judge.faults import BundleError, Fault
from judge.problem import Problem

SMALL = ("msgspec", "PyYAML")
"""What judging needs beside NumPy; command line and terminal output stay at home."""

NUMPY = "numpy"

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

_PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
)
_LOCK = "requirements.lock"


def add_wheels(
    tree: Tree, problem: Problem, pythons: Iterable[str], *, numpy: bool, folder: Path | None
) -> None:
    """Add wheels for Linux on x86_64 at `wheels/NAME.whl`.

    Args:
        tree: where to add them.
        problem: the bundle, whose lock says which hashes are right.
        pythons: Python versions, as in "3.12".
        numpy: whether NumPy's wheels are among them.
        folder: take wheels from here; by default they are downloaded once and kept in the cache.

    Raises:
        BundleError: one is not to be had, or is not the locked one.
    """
    names = (*SMALL, NUMPY) if numpy else SMALL
    for python in pythons:
        if python not in PYTHONS:
            raise BundleError([Fault("--python", f"{python} is none of {', '.join(PYTHONS)}")])
        for name in names:
            path = _find(folder, name, python) if folder else cached_wheel(name, python)
            data = path.read_bytes()
            _check_hash(problem, name, path.name, data)
            tree.add(f"wheels/{path.name}", data)


def _tag(python: str) -> str:
    return f"cp{python.replace('.', '')}"


def _find(folder: Path, name: str, python: str) -> Path:
    """Return the wheel of the installed version in a folder."""
    found = _wheels(folder, name, python)
    if not found:
        wanted = f"{name}-{version(name)}-{_tag(python)}-…-manylinux…x86_64.whl"
        raise BundleError([Fault(str(folder), f"has no wheel {wanted}")])
    return found[0]


def _wheels(folder: Path, name: str, python: str) -> list[Path]:
    start = f"{name.lower()}-{version(name)}-{_tag(python)}-"
    return [
        path
        for path in sorted(folder.glob("*.whl"))
        if path.name.lower().startswith(start)
        and "manylinux" in path.name
        and "x86_64" in path.name
    ]


def cached_wheel(name: str, python: str) -> Path:
    """Return a wheel of the installed version, downloaded when the cache has none."""
    cache = cache_folder() / "wheels"
    found = _wheels(cache, name, python)
    if found:
        return found[0]
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        _download(name, python, Path(scratch))
        downloaded = _find(Path(scratch), name, python)
        return downloaded.replace(cache / downloaded.name)


def _download(name: str, python: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    command += ["--no-deps", "--only-binary=:all:", "--implementation", "cp"]
    command += ["--python-version", python, "--dest", str(folder)]
    for platform in _PLATFORMS:
        command += ["--platform", platform]
    wanted = f"{name}=={version(name)}"
    done = subprocess.run([*command, wanted], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        message = (
            f"can't be downloaded for Python {python}: {reason}; "
            "name a folder that has the wheels with --wheels"
        )
        raise BundleError([Fault(wanted, message)])


def _check_hash(problem: Problem, name: str, file: str, data: bytes) -> None:
    lock = problem.folder / _LOCK
    if not lock.is_file():
        return
    entry = re.search(
        rf"^{re.escape(name)}==(\S+)[^\n]*\n((?:[ \t]+[^\n]*\n?)*)",
        lock.read_text(encoding="utf-8"),
        re.MULTILINE | re.IGNORECASE,
    )
    digest = hashlib.sha256(data).hexdigest()
    if entry is None or digest not in entry[2]:
        raise BundleError([Fault(file, f"is not the one that {_LOCK} names")])
