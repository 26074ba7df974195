"""The page's database: every submission from the moment it is accepted, and what is still owed.

SQLite in write-ahead mode (https://www.sqlite.org/wal.html): a submission is on disk before it is
answered, a kill at any moment leaves a whole database, and the file can be copied while it is used
(`Store.copy_to`, or SQLite's own backup command). One process writes; a lock keeps out a second.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import hashlib
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE submissions (
    id TEXT PRIMARY KEY,
    client TEXT NOT NULL,
    key TEXT,
    samples_only INTEGER NOT NULL,
    source BLOB,
    digest TEXT NOT NULL,
    received REAL NOT NULL,
    status TEXT NOT NULL,
    bundle TEXT,
    verdict TEXT,
    score REAL,
    result BLOB,
    finished REAL,
    UNIQUE (client, key)
);
CREATE INDEX owed ON submissions (status, received);
CREATE INDEX mine ON submissions (client, received);
"""


class Status(enum.StrEnum):
    """Where a submission is on its way."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Stored:
    """One submission as the store has it.

    Args:
        id: unguessable, so that it can be a link.
        client: whose it is.
        samples_only: whether it is run on the samples alone.
        source: its text; None once it was deleted.
        digest: SHA-256 of the source, in hexadecimal.
        received: seconds since the epoch.
        status: where it is on its way.
        bundle: digest of the bundle it was judged with.
        verdict: once it is judged.
        score: once it is judged.
        result: an encoded `judge.batch.jobs.Judged`, once it is judged.
        finished: seconds since the epoch.
    """

    id: str
    client: str
    samples_only: bool
    source: bytes | None
    digest: str
    received: float
    status: Status
    bundle: str | None
    verdict: str | None
    score: float | None
    result: bytes | None
    finished: float | None


@dataclass(frozen=True)
class Limits:
    """How many submissions may be queued or running.

    Args:
        of_client: of one client.
        of_all: of all together.
    """

    of_client: int
    of_all: int


class FullError(Exception):
    """Too many submissions are waiting; the message says whose."""


class StoreError(Exception):
    """The store can't be used; the message says why and what to do."""


_SELECT = (
    "SELECT id, client, samples_only, source, digest, received, status, bundle, verdict, score,"
    " result, finished FROM submissions"
)


_OWED = f"""{_SELECT} AS s WHERE status = 'queued' AND NOT EXISTS
 (SELECT 1 FROM submissions WHERE client = s.client AND status = 'running')
 AND client NOT IN (SELECT value FROM json_each(?))
 ORDER BY received LIMIT 1"""  # noqa: S608 (constants alone)


class Store:
    """The database file; safe to use from several threads of one process.

    Args:
        path: the file; it and its folder are made when missing, readable by their owner alone.

    Raises:
        StoreError: another process has it, or it is something else or of a later version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.Lock()
        self._guard = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._guard)
            raise StoreError(
                f"{path}: another server uses this store; stop it, or name another --store"
            ) from None
        try:
            self._database = self._open()
        except (sqlite3.DatabaseError, StoreError) as error:
            os.close(self._guard)
            raise StoreError(f"{path}: {error}") from None

    def add(
        self,
        client: str,
        source: bytes,
        *,
        samples_only: bool = False,
        key: str | None = None,
        limits: Limits | None = None,
    ) -> tuple[str, bool]:
        """Take a submission; it is on disk when this returns.

        Args:
            client: whose it is.
            source: its bytes.
            samples_only: whether to run it on the samples alone.
            key: an idempotency key; the same client's earlier submission with it is returned.
            limits: how many may be waiting; no limit when None.

        Returns:
            Its id, and whether it is new.

        Raises:
            FullError: too many are waiting; nothing was stored.
        """
        identity = secrets.token_urlsafe(12)
        digest = hashlib.sha256(source).hexdigest()
        values = (identity, client, key, samples_only, source, digest, time.time(), Status.QUEUED)
        with self._write() as database:
            if key is not None:
                query = "SELECT id FROM submissions WHERE client = ? AND key = ?"
                found = database.execute(query, (client, key)).fetchone()
                if found:
                    return str(found[0]), False
            if limits is not None:
                _check(database, client, limits)
            database.execute(
                "INSERT INTO submissions (id, client, key, samples_only, source, digest, received,"
                " status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        return identity, True

    def get(self, identity: str) -> Stored | None:
        """Return a submission, or None where there is none of that id."""
        rows = self._read(f"{_SELECT} WHERE id = ?", (identity,))
        return rows[0] if rows else None

    def history(self, client: str, most: int = 50) -> list[Stored]:
        """Return a client's submissions, the newest first."""
        query = f"{_SELECT} WHERE client = ? ORDER BY received DESC LIMIT ?"
        return self._read(query, (client, most))

    def next_owed(self, busy: Collection[str] = ()) -> Stored | None:
        """Return the oldest queued submission of a client who has none running, and start it.

        Args:
            busy: clients who have one running that they cancelled.
        """
        with self._write() as database:
            row = database.execute(_OWED, (json.dumps(list(busy)),)).fetchone()
            return None if row is None else _start(database, _stored(row))

    def start(self, identity: str) -> Stored | None:
        """Start this one; None where it is not queued any more."""
        with self._write() as database:
            query = f"{_SELECT} WHERE id = ? AND status = 'queued'"
            row = database.execute(query, (identity,)).fetchone()
            return None if row is None else _start(database, _stored(row))

    def finish(self, identity: str, bundle: str, verdict: str, score: float, result: bytes) -> bool:
        """Write what came of a submission; False where it was cancelled or is finished already."""
        with self._write() as database:
            done = database.execute(
                "UPDATE submissions SET status = 'done', bundle = ?, verdict = ?, score = ?,"
                " result = ?, finished = ? WHERE id = ? AND status = 'running'",
                (bundle, verdict, score, result, time.time(), identity),
            )
            return done.rowcount == 1

    def cancel(self, identity: str, client: str) -> bool:
        """Cancel one's own submission; False where there is nothing left to cancel."""
        with self._write() as database:
            done = database.execute(
                "UPDATE submissions SET status = 'cancelled', finished = ? "
                "WHERE id = ? AND client = ? AND status IN ('queued', 'running')",
                (time.time(), identity, client),
            )
            return done.rowcount == 1

    def give_back(self, identity: str | None = None) -> int:
        """Queue what was running again: one submission, or all of them after a restart."""
        query = "UPDATE submissions SET status = 'queued' WHERE status = 'running'"
        with self._write() as database:
            if identity is None:
                return database.execute(query).rowcount
            return database.execute(f"{query} AND id = ?", (identity,)).rowcount

    def rejudge(self, bundle: str) -> int:
        """Queue again everything that was judged with another bundle and still has its source."""
        with self._write() as database:
            return database.execute(
                "UPDATE submissions SET status = 'queued', verdict = NULL, score = NULL,"
                " result = NULL, finished = NULL WHERE status = 'done' AND bundle != ?"
                " AND source IS NOT NULL",
                (bundle,),
            ).rowcount

    def forget_sources(self, older_than_s: float) -> int:
        """Delete the sources of finished submissions received so many seconds ago, or earlier."""
        with self._write() as database:
            return database.execute(
                "UPDATE submissions SET source = NULL WHERE source IS NOT NULL AND received <= ?"
                " AND status IN ('done', 'cancelled')",
                (time.time() - older_than_s,),
            ).rowcount

    def counts(self, client: str | None = None) -> dict[Status, int]:
        """Return how many submissions are in each status, of one client or of all."""
        query = "SELECT status, COUNT(*) FROM submissions"
        chosen: tuple[str, ...] = ()
        if client is not None:
            query, chosen = f"{query} WHERE client = ?", (client,)
        with self._lock:
            rows = self._database.execute(f"{query} GROUP BY status", chosen).fetchall()
        found = {Status(status): int(count) for status, count in rows}
        return {status: found.get(status, 0) for status in Status}

    def verdict_counts(self) -> dict[str, int]:
        """Return how many finished submissions have each verdict."""
        query = "SELECT verdict, COUNT(*) FROM submissions WHERE status = 'done' GROUP BY verdict"
        with self._lock:
            return {str(v): int(n) for v, n in self._database.execute(query).fetchall()}

    def position(self, stored: Stored) -> int:
        """Return how many queued submissions were received before this one."""
        query = "SELECT COUNT(*) FROM submissions WHERE status = 'queued' AND received < ?"
        with self._lock:
            return int(self._database.execute(query, (stored.received,)).fetchone()[0])

    def copy_to(self, target: Path) -> None:
        """Copy the database while it is used (https://www.sqlite.org/backup.html)."""
        with contextlib.closing(sqlite3.connect(target)) as copy, self._lock:
            self._database.backup(copy)

    def close(self) -> None:
        """Close the file and let another process have it."""
        with self._lock:
            self._database.close()
            os.close(self._guard)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        with contextlib.ExitStack() as opened:
            database = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            opened.callback(database.close)
            database.execute("PRAGMA journal_mode = WAL")
            # A commit is on disk before it is answered, also through a loss of power.
            database.execute("PRAGMA synchronous = FULL")
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise StoreError(f"made by a later version of this program (schema {version})")
            if version == 0:
                database.executescript(
                    f"BEGIN;{_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION};COMMIT;"
                )
            opened.pop_all()
        return database

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _read(self, query: str, values: tuple[object, ...]) -> list[Stored]:
        with self._lock:
            return [_stored(row) for row in self._database.execute(query, values)]


def _check(database: sqlite3.Connection, client: str, limits: Limits) -> None:
    query = (
        "SELECT COUNT(*), COUNT(CASE client WHEN ? THEN 1 END) FROM submissions"
        " WHERE status IN ('queued', 'running')"
    )
    of_all, of_client = database.execute(query, (client,)).fetchone()
    if of_client >= limits.of_client:
        raise FullError(f"{limits.of_client - 1} of yours are waiting; no more are taken now")
    if of_all >= limits.of_all:
        raise FullError("the queue is full")


def _start(database: sqlite3.Connection, stored: Stored) -> Stored:
    database.execute("UPDATE submissions SET status = 'running' WHERE id = ?", (stored.id,))
    return stored


def _stored(row: tuple[object, ...]) -> Stored:
    identity, client, samples_only, *rest = row
    source, digest, received, status, bundle, verdict, score, result, finished = rest
    return Stored(
        str(identity), str(client), bool(samples_only), source, str(digest),  # type: ignore[arg-type]
        received, Status(str(status)), bundle, verdict, score, result, finished,  # type: ignore[arg-type]
    )  # fmt: skip
