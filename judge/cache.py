"""The folder of this program's caches, and files in it that are whole or absent.

Deleting the folder loses nothing but time; where it can't be written, nothing is kept and nothing
fails.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder of this program's caches (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        # A user without a home: nothing can be kept below a file.
        root = Path(os.devnull)
    return root / "encoder-block-judge"


def read_cached(path: Path) -> bytes | None:
    """Return the bytes of a cached file, or None when it is not there."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_cached(path: Path, data: bytes) -> None:
    """Write a file beside its place and rename it, readable by its owner alone."""
    import tempfile  # slow to import, for those who only read

    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
