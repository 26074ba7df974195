"""A bundle as judging needs it, kept in a cache as it was when it was read and checked.

The cache is keyed by the digest of every file that was read and of the code that checked them, so
that whatever changes is read and checked anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from judge.cache import cache_folder, read_cached, write_cached
from judge.problem import PROBLEM_FILE, Problem
from judge.testcases import FOLDER, Manifest, TestCase, load_cases, load_manifest

_KEPT = 8
"""Bundles in the cache; those that were written longest ago go first."""

_CHECKS = ("arrays.py", "bundle.py", "casefiles.py", "constraints.py", "faults.py", "problem.py",
           "signature.py", "testcases.py", "yamlfile.py")  # fmt: skip
"""The files of code that decide what a bundle's files mean, and which are refused."""

_DIGEST_SIZE = 32


class Bundle(NamedTuple):
    """What judging needs of a bundle.

    Args:
        problem: its `problem.yaml`.
        manifest: its manifest.
        cases: its cases, in the manifest's order.
    """

    problem: Problem
    manifest: Manifest
    cases: list[TestCase]


class _Kept(msgspec.Struct, array_like=True):
    problem: Problem
    manifest: Manifest
    cases: list[TestCase]


def load_bundle(folder: Path) -> Bundle:
    """Read and check a bundle, or take it from the cache.

    Args:
        folder: the bundle's folder.

    Raises:
        BundleError: with every fault of `problem.yaml`, or else of the cases.
    """
    folder = folder.absolute()
    path = cached_bundle(folder)
    kept = _unpack(read_cached(path))
    if kept is not None:
        kept.problem.__dict__["folder"] = folder
        return Bundle(kept.problem, kept.manifest, kept.cases)
    problem = Problem.load(folder)
    bundle = Bundle(problem, load_manifest(problem), load_cases(problem))
    if cached_bundle(folder) == path:
        # Nobody has written to it meanwhile: what was read is what the digest stands for.
        write_cached(path, _pack(bundle))
        _forget_old()
    return bundle


def cached_bundle(folder: Path) -> Path:
    """Return where a bundle is in the cache, whether or not it is there; it holds the answers."""
    digest = hashlib.sha256()
    own = Path(__file__).parent
    named = [(name, own / name) for name in _CHECKS] + _files(folder)
    for name, path in named:
        # A file that can't be read is told when the bundle is loaded.
        data = read_cached(path)
        digest.update(f"{name}\0{-1 if data is None else len(data)}\0".encode())
        digest.update(data or b"")
    return _folder() / digest.hexdigest()


def _files(folder: Path) -> list[tuple[str, Path]]:
    """Return every file that loading a bundle reads, by its path inside the bundle."""
    found = [folder / PROBLEM_FILE]
    for parent, _, names in os.walk(folder / FOLDER):
        found += [Path(parent, name) for name in names if name.endswith(".json")]
    return sorted((os.path.relpath(path, folder), path) for path in found)


def answer_files(folder: Path) -> list[Path]:
    """Return the folders and files, of a bundle and of the cache, that hold answers."""
    found: list[Path] = []
    for top in (folder / FOLDER, _folder()):
        for parent, _, names in os.walk(top):
            found += [Path(parent), *(Path(parent, name) for name in names)]
    return found


def _folder() -> Path:
    return cache_folder() / "bundles"


def _pack(bundle: Bundle) -> bytes:
    data = msgspec.msgpack.encode(_Kept(*bundle))
    return hashlib.sha256(data).digest() + data


def _unpack(data: bytes | None) -> _Kept | None:
    """Read what `_pack` wrote; None for anything else."""
    if data is None or hashlib.sha256(data[_DIGEST_SIZE:]).digest() != data[:_DIGEST_SIZE]:
        return None
    try:
        return msgspec.msgpack.decode(data[_DIGEST_SIZE:], type=_Kept)
    except msgspec.DecodeError:
        return None


def _forget_old() -> None:
    with contextlib.suppress(OSError):
        kept = sorted(_folder().iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in kept[_KEPT:]:
            path.unlink(missing_ok=True)
