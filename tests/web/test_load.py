"""Fifty learners at once: none lost, none mixed up.

For the full minute, with figures:
    JUDGE_LOAD_SECONDS=60 .venv/bin/pytest -m web tests/web/test_load.py -s
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import dataclass, field

import pytest

from tests.web.serving import RIGHT, WRONG, Client, Server

pytestmark = pytest.mark.web

LEARNERS = 50
SECONDS = float(os.environ.get("JUDGE_LOAD_SECONDS", "5"))


@dataclass
class Learner:
    """Submits, waits for the verdict, and submits again, until the time is over."""

    number: int
    server: Server
    until: float
    wanted: list[tuple[str, str]] = field(default_factory=list)
    found: list[tuple[str, str]] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def run(self) -> None:
        client = Client(self.server.port)
        client.get("/api/problem")
        client.cookie = f"judge_client=learner-of-the-load-{self.number:04}"
        while not self.waited or time.monotonic() < self.until:
            right = (self.number + len(self.waited)) % 3 != 0
            source = f"# learner {self.number}, {len(self.waited)}\n{RIGHT if right else WRONG}"
            started = time.monotonic()
            status, told, _ = client.submit(source)
            assert status == 202, told
            told = client.verdict(told["id"], every=0.5)
            self.waited.append(time.monotonic() - started)
            digest = hashlib.sha256(source.encode()).hexdigest()
            self.wanted.append((f"sha256:{digest}", "AC" if right else "WA"))
            self.found.append((told["provenance"]["source"], told["verdict"]))


def look(server: Server, over: threading.Event, seconds: list[float]) -> None:
    """Open the page again and again, and note how long each took."""
    client = Client(server.port)
    while not over.is_set():
        started = time.monotonic()
        status, page, _ = client.get("/")
        assert status == 200
        assert b"Encoder Block" in page
        seconds.append(time.monotonic() - started)
        over.wait(0.2)


def test_fifty_learners_at_once_lose_nothing_and_mix_nothing_up(serve):
    server = serve()
    over, opened = threading.Event(), []
    looking = threading.Thread(target=look, args=(server, over, opened))
    until = time.monotonic() + SECONDS
    learners = [Learner(number, server, until) for number in range(LEARNERS)]
    threads = [threading.Thread(target=learner.run) for learner in learners]
    started = time.monotonic()
    looking.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    over.set()
    looking.join()
    assert all(learner.wanted for learner in learners)
    assert [learner.found for learner in learners] == [learner.wanted for learner in learners]
    waited = sorted(seconds for learner in learners for seconds in learner.waited)
    opened.sort()
    print(
        f"\n{len(waited)} submissions of {LEARNERS} learners in {took:.0f} s; a verdict after "
        f"{waited[len(waited) // 2]:.1f} s (median), {waited[-1]:.1f} s (longest); the page opened "
        f"{len(opened)} times: {opened[len(opened) // 2]:.3f} s (median), "
        f"{opened[int(len(opened) * 0.95)]:.3f} s (95 %), {opened[-1]:.3f} s (longest)"
    )
