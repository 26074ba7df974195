"""The files of an export: by path, with the same bytes on every machine, as a folder or a zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_FILE, _PROGRAM = 0o100644, 0o100755


@dataclass
class Tree:
    """Files below one folder.

    Args:
        files: content by path, with "/" between its parts.
        programs: those of the paths that are executable.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    programs: set[str] = field(default_factory=set)

    def add(self, path: str, content: bytes | str, *, program: bool = False) -> None:
        """Add a file; raises ValueError when there is one of that path already."""
        if path in self.files:
            raise ValueError(f"{path} would be written twice")
        self.files[path] = content.encode("utf-8") if isinstance(content, str) else content
        if program:
            self.programs.add(path)

    def graft(self, folder: str, other: Tree) -> None:
        """Add all files of another tree below a folder ("" for the root)."""
        for path, content in other.files.items():
            place = f"{folder}/{path}" if folder else path
            self.add(place, content, program=path in other.programs)

    def below(self, folder: str) -> Tree:
        """Return the part below a folder, with paths from there."""
        start = f"{folder}/"
        part = Tree()
        for path, content in self.files.items():
            if path.startswith(start):
                part.add(path.removeprefix(start), content, program=path in self.programs)
        return part

    def zip(self) -> bytes:
        """Return the files as a zip: sorted, all of one time, stored.

        Nothing is compressed, because compressors of different versions write different bytes.
        """
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for path in sorted(self.files):
                entry = zipfile.ZipInfo(path, _EARLIEST)
                entry.create_system = _UNIX
                entry.external_attr = (_PROGRAM if path in self.programs else _FILE) << 16
                archive.writestr(entry, self.files[path])
        return buffer.getvalue()


def tree_of(files: Mapping[str, bytes | str], programs: Iterable[str] = ()) -> Tree:
    """Return a tree of the given files."""
    tree = Tree()
    wanted = set(programs)
    for path, content in files.items():
        tree.add(path, content, program=path in wanted)
    return tree
