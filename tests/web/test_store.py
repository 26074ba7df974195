"""The page's store: what is accepted stays, whoever dies; each submission is finished once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from typing import Any

import pytest

from judge.web.store import Status, Store, StoreError
from tests.conftest import ROOT


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "state" / "submissions.sqlite") as opened:
        yield opened


def test_a_submission_is_there_until_it_is_finished(store):
    identity, new = store.add("ada", b"x = 1")
    assert new
    stored = store.get(identity)
    assert (stored.source, stored.status, stored.verdict) == (b"x = 1", Status.QUEUED, None)
    assert store.next_owed().id == identity
    assert store.get(identity).status is Status.RUNNING
    assert store.finish(identity, "sha256:b", "AC", 1.0, b"result")
    stored = store.get(identity)
    assert (stored.status, stored.verdict, stored.result) == (Status.DONE, "AC", b"result")
    assert not store.finish(identity, "sha256:b", "WA", 0.0, b"other")
    assert store.get(identity).verdict == "AC"


def test_ids_can_not_be_guessed(store):
    found = {store.add("ada", b"x")[0] for _ in range(50)}
    assert len(found) == 50
    assert all(len(identity) == 16 for identity in found)
    assert store.get("no-such-id") is None


def test_the_same_key_of_the_same_client_is_the_same_submission(store):
    first = store.add("ada", b"x", key="k")
    assert store.add("ada", b"y", key="k") == (first[0], False)
    assert store.add("bob", b"y", key="k")[1]
    assert store.get(first[0]).source == b"x"


def test_one_of_each_client_runs_and_the_oldest_comes_first(store):
    ada = [store.add("ada", b"%d" % number)[0] for number in range(2)]
    bob = store.add("bob", b"x")[0]
    assert store.next_owed().id == ada[0]
    assert store.next_owed().id == bob
    assert store.next_owed() is None
    store.finish(ada[0], "b", "AC", 1.0, b"")
    assert store.next_owed().id == ada[1]


def test_only_its_owner_cancels_and_a_cancelled_one_is_never_finished(store):
    identity = store.add("ada", b"x")[0]
    assert not store.cancel(identity, "bob")
    store.next_owed()
    assert store.cancel(identity, "ada")
    assert not store.finish(identity, "b", "AC", 1.0, b"")
    assert store.get(identity).status is Status.CANCELLED
    assert not store.cancel(identity, "ada")


def test_another_bundle_puts_what_was_judged_back_into_the_queue(store):
    for number, bundle in enumerate(["old", "new", "old"]):
        identity = store.add("ada", b"%d" % number)[0]
        store.next_owed()
        store.finish(identity, bundle, "AC", 1.0, b"r")
    store.forget_sources(0)
    last = store.add("ada", b"kept")[0]
    store.next_owed()
    store.finish(last, "old", "AC", 1.0, b"r")
    # Without its source a submission can't be judged again, and keeps the verdict it has.
    assert store.rejudge("new") == 1
    assert store.get(last).status is Status.QUEUED
    assert store.get(last).verdict is None


def test_sources_are_forgotten_when_their_time_is_over_and_never_before_a_verdict(store):
    done, waiting = store.add("ada", b"x")[0], store.add("ada", b"y")[0]
    store.next_owed()
    store.finish(done, "b", "AC", 1.0, b"r")
    assert store.forget_sources(3600) == 0
    assert store.forget_sources(0) == 1
    assert store.get(done).source is None
    assert store.get(waiting).source == b"y"


def test_a_second_server_is_refused_and_the_file_is_for_its_owner_alone(store):
    with pytest.raises(StoreError, match="another server uses this store"):
        Store(store.path)
    assert store.path.stat().st_mode & 0o077 == 0


def test_what_is_no_store_and_a_later_version_are_refused(tmp_path, monkeypatch):
    opened = []

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened.append(sqlite3.Connection(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr("judge.web.store.sqlite3.connect", connect)
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"hello, this is a text of some length" * 50)
    with pytest.raises(StoreError, match="not a database"):
        Store(path)
    path.unlink()
    Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="later version"):
        Store(path)
    # Python 3.13 and later warn of connections that are left open.
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")


def test_a_copy_made_while_it_is_used_is_a_whole_store(store, tmp_path):
    identity = store.add("ada", b"x")[0]
    store.copy_to(tmp_path / "copy.sqlite")
    with Store(tmp_path / "copy.sqlite") as copy:
        assert copy.get(identity).source == b"x"


WRITER = """
import sys
from typing import Any
from pathlib import Path
from judge.web.store import Store
store = Store(Path(sys.argv[1]))
while True:
    print(store.add("ada", b"x" * 500)[0], flush=True)
"""


def test_whatever_was_answered_before_a_kill_is_there_after_it(tmp_path):
    path = tmp_path / "s.sqlite"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    answered = [process.stdout.readline().strip() for _ in range(40)]
    os.kill(process.pid, signal.SIGKILL)
    answered += process.stdout.read().split()
    process.stdout.close()
    process.wait()
    # The last line may have been cut by the kill.
    whole = [identity for identity in answered if len(identity) == 16]
    with Store(path) as store:
        assert len(whole) >= 40
        assert all(store.get(identity) is not None for identity in whole)
        assert store.give_back() == 0
