"""Made cases by the digest of what made them, in the XDG cache folder.

An entry is either whole or absent: it is written beside its place and renamed. A broken entry
counts as absent. Deleting the folder loses nothing but time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import msgspec

from judge.authoring.generate.make import MadeCase


def cache_folder() -> Path:
    """Return the folder of this program's caches (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return root / "encoder-block-judge"


def read_made(made_by: str) -> MadeCase | None:
    """Return the case made from a digest, or None when it is not in the cache."""
    try:
        made = msgspec.msgpack.decode(_path(made_by).read_bytes(), type=MadeCase)
    except (OSError, msgspec.DecodeError):
        return None
    whole = (
        made.entry.made_by == made_by
        and hashlib.sha256(made.input_bytes).hexdigest() == made.entry.input_sha256
        and hashlib.sha256(made.answer_bytes).hexdigest() == made.entry.answer_sha256
    )
    return made if whole else None


def write_made(made: MadeCase) -> None:
    """Keep a case; where the folder can't be written, nothing is kept and nothing fails."""
    path = _path(made.entry.made_by)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.msgpack.encode(made))
        Path(temporary).replace(path)


def _path(made_by: str) -> Path:
    return cache_folder() / "cases" / f"{made_by}.msgpack"
