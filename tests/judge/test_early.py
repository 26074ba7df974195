"""The sandbox that is started before all else."""

from __future__ import annotations

import time

from judge.sandbox import early
from tests.judge.processes import all_ended, descendants, watch


def test_the_first_that_asks_gets_the_one_that_was_started() -> None:
    early.start()
    early.start()
    with early.take() as first, early.take() as second:
        assert first is not second
        assert first.boot.layers == second.boot.layers
    early.close_unused()


def test_one_that_nobody_asked_for_is_ended() -> None:
    early.start()
    process = early._started[0].process.pid
    family = watch([process])
    deadline = time.monotonic() + 30
    while not descendants(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    family += watch(descendants(process))
    early.close_unused()
    assert all_ended(family)
