"""Submissions whose sources are equal once layout, comments and names are set aside.

A place to look, and no verdict: short exercises are often solved alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import msgspec

from judge.batch import jobs
from judge.batch.jobs import Setting

CHUNK = 64
_SECONDS_EACH = 2.0


def digest_sources(setting: Setting, sources: Sequence[bytes]) -> bytes:
    """Return an encoded list of hexadecimal digests, "" for what can't be parsed.

    Nothing of a submission is parsed outside the jail: the digest is made by a worker.
    """
    judge = jobs.judge_of(setting)
    code = Path(__file__).with_name("normalise.py").read_bytes()
    texts = [(source.decode("utf-8", "replace"),) for source in sources]
    outcomes = judge.call(
        code, "digest", texts, seconds=_SECONDS_EACH, total_seconds=_SECONDS_EACH * len(texts)
    )
    digests = [
        outcome.value.tobytes().hex() if outcome.value is not None and outcome.value.any() else ""
        for outcome in outcomes
    ]
    return msgspec.msgpack.encode(digests)


def find_twins(
    executor: Executor, setting: Setting, sources: Iterable[tuple[str, bytes]]
) -> list[list[str]]:
    """Group ids whose sources are equal after normalising.

    Args:
        executor: where the workers are.
        setting: how the batch was judged.
        sources: id and bytes of each submission, read one after the other.

    Returns:
        Groups of two or more ids, the largest first.
    """
    groups: dict[str, list[str]] = {}
    chunk: list[tuple[str, bytes]] = []

    def finish() -> None:
        made = executor.submit(digest_sources, setting, [source for _, source in chunk])
        digests = msgspec.msgpack.decode(made.result(), type=list[str])
        for (identity, _), digest in zip(chunk, digests, strict=True):
            if digest:
                groups.setdefault(digest, []).append(identity)
        chunk.clear()

    for pair in sources:
        chunk.append(pair)
        if len(chunk) == CHUNK:
            finish()
    if chunk:
        finish()
    return sorted(
        (ids for ids in groups.values() if len(ids) > 1), key=lambda ids: (-len(ids), ids)
    )
