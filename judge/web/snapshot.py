"""A private copy of the bundle, so that no verdict depends on who edits the folder meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

from judge.batch.cluster import pack_bundle, unpack_bundle
from judge.faults import BundleError, Fault
from judge.problem import Problem, bundle_digest

_ATTEMPTS = 5


def snapshot(folder: Path, target: Path) -> Problem:
    """Copy what judging needs of a bundle to a folder that its owner alone may read.

    Args:
        folder: the bundle.
        target: replaced; this process must be the only one that uses it.

    Returns:
        The problem, loaded from the copy.

    Raises:
        BundleError: the bundle is broken, or changed each time while it was copied.
    """
    for _ in range(_ATTEMPTS):
        before = bundle_digest(folder)
        try:
            data = pack_bundle(folder)
        except FileNotFoundError:
            continue
        if bundle_digest(folder) == before:
            shutil.rmtree(target, ignore_errors=True)
            unpack_bundle(data, target)
            return Problem.load(target)
    message = "the bundle changes all the time; start again when nobody generates its cases"
    raise BundleError([Fault(str(folder), message)])
