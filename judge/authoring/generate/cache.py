"""Made cases by the digest of what made them, in the cache folder; a broken one is absent."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from judge.authoring.generate.make import MadeCase
from judge.cache import cache_folder, read_cached, write_cached


def read_made(made_by: str) -> MadeCase | None:
    """Return the case made from a digest, or None when it is not in the cache."""
    data = read_cached(_path(made_by))
    try:
        made = msgspec.msgpack.decode(data, type=MadeCase) if data else None
    except msgspec.DecodeError:
        made = None
    whole = (
        made is not None
        and made.entry.made_by == made_by
        and hashlib.sha256(made.input_bytes).hexdigest() == made.entry.input_sha256
        and hashlib.sha256(made.answer_bytes).hexdigest() == made.entry.answer_sha256
    )
    return made if whole else None


def write_made(made: MadeCase) -> None:
    """Keep a case."""
    write_cached(_path(made.entry.made_by), msgspec.msgpack.encode(made))


def _path(made_by: str) -> Path:
    return cache_folder() / "cases" / f"{made_by}.msgpack"
