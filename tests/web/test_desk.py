"""The desk with a real pool: one submission that kills its process takes nobody with it."""

from __future__ import annotations

import threading

import pytest

from judge.batch.jobs import Setting
from judge.batch.pool import zygote_pool
from judge.problem import Problem, bundle_digest
from judge.web.desk import Desk, is_over
from judge.web.store import Status, Store
from tests.conftest import ROOT
from tests.web.poison import POISON, work

pytestmark = pytest.mark.web

TINY = ROOT / "tests" / "bundles" / "tiny"
RIGHT = (TINY / "reference" / "power_sum.py").read_bytes()


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "submissions.sqlite") as opened:
        yield opened


def judged(store: Store, identities: list[str], workers: int = 2) -> dict[str, str | None]:
    """Let a desk work until all of these are over, and return their verdicts."""
    problem = Problem.load(TINY)
    setting = Setting(TINY, bundle_digest(TINY), weak=True)
    desk = Desk(store, problem, setting, lambda: zygote_pool(workers), workers, work)
    over = threading.Event()

    def listen(_: str) -> None:
        if all(is_over(store.get(one).status) for one in identities):
            over.set()

    stop = desk.listen(listen)
    listen("")
    assert over.wait(timeout=180)
    stop()
    assert desk.drain(60)
    return {one: store.get(one).verdict for one in identities}


def test_a_poison_is_given_up_and_all_others_get_their_verdicts(store):
    innocent = [store.add(f"learner-{number}", RIGHT)[0] for number in range(5)]
    poison = store.add("poisoner", POISON + b"\n" + RIGHT)[0]
    innocent += [store.add(f"later-{number}", RIGHT)[0] for number in range(3)]
    found = judged(store, [*innocent, poison])
    assert found.pop(poison) == "JE"
    assert set(found.values()) == {"AC"}


def test_what_ran_when_a_server_ended_is_judged_by_the_next(store):
    identity = store.add("learner", RIGHT)[0]
    assert store.next_owed() is not None
    assert store.get(identity).status is Status.RUNNING
    assert judged(store, [identity], workers=1) == {identity: "AC"}


def test_a_client_who_cancelled_what_runs_waits_until_it_ends(store):
    first, second = (store.add("learner", RIGHT)[0] for _ in range(2))
    assert store.next_owed().id == first
    assert store.cancel(first, "learner")
    assert store.next_owed({"learner"}) is None
    assert store.next_owed().id == second
