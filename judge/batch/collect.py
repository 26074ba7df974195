"""Find submissions in what a course's system gives: files, folders, zips, and zips in them.

Nothing is unpacked to disk, and nothing of a submission is read before it is its turn.
"""

# Ten thousand Path objects take megabytes that as many names don't:
# ruff: noqa: PTH112, PTH113, PTH114, PTH118, PTH122, PTH208

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

SUBMISSION_ENDINGS = (".py", ".ipynb")
"""Notebooks are taken too, so that whoever handed one in is told what to do instead."""

LARGEST_INNER_ZIP = 64 << 20
DEEPEST_ZIP = 2

Keep = Literal["last", "first", "all"]


@dataclass(frozen=True, slots=True)
class Found:
    """One submission, not read yet.

    Args:
        id: whose it is.
        path: where it is, for people: "week3.zip!ada/solution.py".
        file: the file on disk: the submission itself, or the zip that holds it.
        members: names to open one in the other inside `file`; none for a plain file.
    """

    id: str
    path: str
    file: str
    members: tuple[str, ...] = ()

    def read(self, most: int) -> bytes:
        """Return its bytes, at most `most` + 1 of them.

        Raises:
            OSError: it can't be read.
        """
        if not self.members:
            with Path(self.file).open("rb") as file:
                return file.read(most + 1)
        try:
            return _read_member(Path(self.file).read_bytes(), self.members, most + 1)
        except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError, EOFError) as error:
            raise OSError(f"can't be read from the zip: {error}") from None


@dataclass(frozen=True)
class Collection:
    """What was found.

    Args:
        submissions: one a person (or all, when told), in order of id.
        replaced: path of each submission that another one of the same person replaces.
        skipped: path and reason of everything that is no submission.
    """

    submissions: tuple[Found, ...]
    replaced: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]


def collect(
    paths: Sequence[Path], id_regex: re.Pattern[str] | None = None, keep: Keep = "last"
) -> Collection:
    """Find the submissions under the given paths.

    Args:
        paths: files, folders, zips.
        id_regex: searched in a submission's path; its group "id", its first group, or all that it
            matches says whose it is. Without one, and where it matches nothing, the path does.
        keep: which of several submissions of one person counts, in the order of their paths.

    Raises:
        OSError: a path does not exist or is unreadable.
    """
    skipped: list[tuple[str, str]] = []
    by_id: dict[str, list[Found]] = {}
    for found in _search(paths, skipped):
        owner = _owner(found.path, id_regex)
        if owner is None:
            skipped.append((found.path, "--id-regex matches nothing in it; it goes by its path"))
        by_id.setdefault(owner or found.id, []).append(found)
    kept, replaced = [], []
    for name in sorted(by_id):
        files = [
            found if found.id == name else replace(found, id=name)
            for found in sorted(by_id[name], key=lambda found: found.path)
        ]
        if keep == "all" and len(files) > 1:
            kept += [
                replace(file, id=f"{name} ({number})") for number, file in enumerate(files, start=1)
            ]
            continue
        chosen = files[0] if keep == "first" else files[-1]
        kept.append(chosen)
        replaced += [file.path for file in files if file is not chosen]
    return Collection(tuple(kept), tuple(replaced), tuple(skipped))


def read_roster(path: Path) -> list[str]:
    """Read who was expected: one id a line, the first column where there are several.

    Empty lines and lines that begin with # are passed over.

    Raises:
        OSError: the file can't be read.
    """
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    firsts = (re.split(r"[,;\t]", line, maxsplit=1)[0].strip().strip('"') for line in lines)
    return [first for first in firsts if first and not first.startswith("#")]


def _owner(path: str, id_regex: re.Pattern[str] | None) -> str | None:
    if id_regex is None:
        return path_id(path)
    match = id_regex.search(path)
    if match is None:
        return None
    if "id" in id_regex.groupindex:
        return match["id"]
    return match[1] if id_regex.groups else match[0]


def path_id(path: str) -> str:
    """Return the id that a path gives by itself: without its ending."""
    for ending in SUBMISSION_ENDINGS:
        path = path.removesuffix(ending)
    return path


def _search(paths: Sequence[Path], skipped: list[tuple[str, str]]) -> Iterator[Found]:
    for path in paths:
        if path.is_dir():
            for shown in _walk(str(path), "", skipped):
                yield from _file(f"{path}/{shown}", shown, skipped)
        elif path.exists():
            # A file that is named is meant, whatever its ending.
            if path.suffix.lower() == ".zip":
                yield from _file(str(path), path.name, skipped)
            else:
                yield Found(path_id(path.name), path.name, str(path))
        else:
            raise FileNotFoundError(2, "no such file or folder", str(path))


def _walk(top: str, inside: str, skipped: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the files below a folder, each by its path inside it, in order."""
    try:
        names = sorted(os.listdir(os.path.join(top, inside)))
    except OSError as error:
        skipped.append((inside or top, f"can't be read: {error.strerror}"))
        return
    for name in names:
        shown = f"{inside}/{name}" if inside else name
        file = os.path.join(top, shown)
        if _hidden(name):
            continue
        if os.path.isdir(file) and not os.path.islink(file):
            yield from _walk(top, shown, skipped)
        elif os.path.isfile(file):
            yield shown


def _file(file: str, shown: str, skipped: list[tuple[str, str]]) -> Iterator[Found]:
    ending = os.path.splitext(file)[1].lower()
    if ending == ".zip":
        try:
            with zipfile.ZipFile(file) as archive:
                yield from _zip(archive, shown, file, (), skipped)
        except (zipfile.BadZipFile, OSError) as error:
            skipped.append((shown, f"can't be opened as a zip: {error}"))
    elif ending in SUBMISSION_ENDINGS:
        yield Found(path_id(shown), shown, file)
    else:
        skipped.append((shown, "no Python file"))


def _zip(
    archive: zipfile.ZipFile,
    shown: str,
    file: str,
    outer: tuple[str, ...],
    skipped: list[tuple[str, str]],
) -> Iterator[Found]:
    for info in sorted(archive.infolist(), key=lambda info: info.filename):
        name = info.filename
        path = f"{shown}!{name}"
        if info.is_dir() or _hidden(name):
            continue
        if name.lower().endswith(SUBMISSION_ENDINGS):
            yield Found(path_id(path), path, file, (*outer, name))
        elif name.lower().endswith(".zip") and len(outer) + 1 < DEEPEST_ZIP:
            if info.file_size > LARGEST_INNER_ZIP:
                skipped.append((path, f"larger than {LARGEST_INNER_ZIP >> 20} MiB"))
                continue
            try:
                data = _bounded(archive, name, LARGEST_INNER_ZIP)
                with zipfile.ZipFile(io.BytesIO(data)) as inner:
                    yield from _zip(inner, path, file, (*outer, name), skipped)
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
                skipped.append((path, f"can't be opened as a zip: {error}"))
        else:
            skipped.append((path, "no Python file"))


def _read_member(data: bytes, members: Iterable[str], most: int) -> bytes:
    names = list(members)
    for name in names[:-1]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = _bounded(archive, name, LARGEST_INNER_ZIP)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _bounded(archive, names[-1], most)


def _bounded(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Read no more than so many bytes, whatever the zip says of the size."""
    with archive.open(name) as member:
        return member.read(most)


def _hidden(path: str) -> bool:
    """Tell whether a path is one that systems add by themselves."""
    parts = path.split("/")
    return any(part.startswith(".") or part in ("__MACOSX", "__pycache__") for part in parts)
