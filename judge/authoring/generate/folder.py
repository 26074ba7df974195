"""Writing `testcases/` whole or not at all, and saying what in it is stale."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

import msgspec

from judge.authoring.generate.digests import FLINT, case_digest, made_from
from judge.authoring.generate.plan import PLAN_FILE, Plan
from judge.counterexamples import COUNTEREXAMPLES, counterexamples_made_by
from judge.mistakes import FILE as MISTAKES
from judge.problem import Problem
from judge.testcases import FOLDER, MANIFEST, Manifest, load_cases, load_manifest

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a bundle for one writer; a second run waits for the first.

    The lock is on the folder itself (flock(2)), so that no lock file is left behind.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_folder(
    target: Path, files: Mapping[str, bytes], *, programs: Container[str] = ()
) -> list[str]:
    """Replace a folder by one with exactly these files, in one step.

    Args:
        target: the folder; it need not exist.
        files: content by path below it.
        programs: those of the paths that are executable.

    Returns:
        Paths whose content is new, changed or gone, sorted; without any, nothing is written.
    """
    changed = _changes(target, files)
    if not changed:
        return []
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for name, data in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if name in programs:
                path.chmod(0o755)
        # mkdtemp makes a folder for its owner alone; test cases are read by everyone.
        umask = os.umask(0)
        os.umask(umask)
        fresh.chmod(0o777 & ~umask)
        _put_in_place(fresh, target)
    finally:
        # After the exchange this name holds what was replaced; after a failure, the half-written.
        shutil.rmtree(fresh, ignore_errors=True)
    return changed


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the bytes of `manifest.json`: one case a paragraph, so that changes read well."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def stale(problem: Problem, plan: Plan) -> list[str]:
    """Say what in `testcases/` is not what `judge generate` would write, without proving anything.

    Args:
        problem: the bundle.
        plan: its checked `cases.yaml`.

    Returns:
        One sentence a difference, naming the digest that moved; none when all is up to date.

    Raises:
        BundleError: there is no manifest that can be read.
    """
    manifest = load_manifest(problem)
    found = []
    now = made_from(problem)
    for what in sorted(now.keys() | manifest.made_from.keys()):
        if what == FLINT and FLINT not in now:
            continue
        if now.get(what) != manifest.made_from.get(what):
            was, is_now = manifest.made_from.get(what, "none"), now.get(what, "none")
            found.append(f"{what}: the cases were made with {was[:12]}, now it is {is_now[:12]}")
    if manifest.seed != problem.seed:
        found.append(f"seed: problem.yaml has {problem.seed}, the cases {manifest.seed}")
    found += _stale_cases(plan, manifest)
    if {tag: rule.info for tag, rule in plan.tags.items()} != manifest.tags:
        found.append(f"tags: {PLAN_FILE} and the manifest describe them differently")
    found += _stale_files(problem.folder / FOLDER, manifest)
    return found if found else _stale_examples(problem)


def _stale_examples(problem: Problem) -> list[str]:
    """Say whether the counterexamples are older than what they are made from."""
    from judge.authoring.counterexamples import examples_digest

    if not (problem.folder / MISTAKES).is_file():
        return []
    made_by = counterexamples_made_by(problem)
    if made_by == examples_digest(problem, load_cases(problem)):
        return []
    changed = f"{MISTAKES}, the reference or a case has changed since they were made"
    return [f"{COUNTEREXAMPLES}: {changed if made_by else 'not made, or broken'}"]


def _stale_cases(plan: Plan, manifest: Manifest) -> list[str]:
    found = []
    planned = {case.name: case for case in plan.cases}
    made = {entry.name: entry for entry in manifest.cases}
    found += [f"{name}: in {PLAN_FILE}, but not made" for name in planned if name not in made]
    found += [f"{name}: made, but not in {PLAN_FILE}" for name in made if name not in planned]
    for name, entry in made.items():
        if name in planned:
            digest = case_digest(planned[name], plan, manifest.seed, manifest.made_from)
            if digest != entry.made_by:
                found.append(f"{name}: its entry in {PLAN_FILE} has changed since it was made")
    if planned.keys() == made.keys() and list(planned) != list(made):
        found.append(f"order: {PLAN_FILE} and the manifest name the cases in different order")
    return found


def _stale_files(folder: Path, manifest: Manifest) -> list[str]:
    found = []
    known = {MANIFEST, COUNTEREXAMPLES}
    for entry in manifest.cases:
        for ending, digest in (("in", entry.input_sha256), ("ans", entry.answer_sha256)):
            name = f"{entry.name}.{ending}.json"
            known.add(name)
            path = folder / name
            if not path.is_file():
                found.append(f"{name}: the file is missing")
            elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                found.append(f"{name}: the file was edited or cut short since it was made")
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in known:
            found.append(f"{name}: this file belongs to no case")
    return found


def _changes(target: Path, files: Mapping[str, bytes]) -> list[str]:
    present = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    changed = present - files.keys()
    for name, data in files.items():
        if name not in present or (target / name).read_bytes() != data:
            changed.add(name)
    return sorted(changed)


def _put_in_place(fresh: Path, target: Path) -> None:
    if not target.exists():
        fresh.rename(target)
        # So that removing `fresh` afterwards removes nothing.
        return
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if exchange is not None:
        # renameat2(2): both names change hands in one step, so that no moment has no folder.
        names = os.fsencode(fresh), os.fsencode(target)
        if exchange(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EINVAL):
            raise OSError(code, os.strerror(code), str(target))
    old = target.with_name(f".{target.name}-old-{os.getpid()}")
    target.rename(old)
    fresh.rename(target)
    old.rename(fresh)
