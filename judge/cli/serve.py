"""`judge serve`: the web page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from judge.cli import options

if TYPE_CHECKING:
    from judge.mistakes import Level
    from judge.problem import Problem
    from judge.web.page import Contents

_LOCAL = ("127.0.0.1", "localhost", "::1")
_DAY_S = 24 * 3600.0


def default_store() -> Path:
    """Return the database's place by default, in the XDG state folder."""
    base = os.environ.get("XDG_STATE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state"
    return root / "encoder-block-judge" / "submissions.sqlite"


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True)
@click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The database of submissions; by default in the XDG state folder.",
)
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Processes; by default all cores."
)
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster: tcp://… or tls://….")
@click.option("--tls-ca", type=click.Path(path_type=Path, exists=True), help="For tls: authority.")
@click.option("--tls-cert", type=click.Path(path_type=Path, exists=True), help="For tls: own.")
@click.option("--tls-key", type=click.Path(path_type=Path, exists=True), help="For tls: its key.")
@click.option(
    "--token",
    envvar="JUDGE_TOKEN",
    default="",
    help="What clients must show (or the environment variable JUDGE_TOKEN).",
)
@click.option(
    "--retention",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="DAYS",
    help="Delete sources so many days after they came; 0 keeps them.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="A name under which browsers reach the page through a proxy; may be repeated.",
)
@click.option("--rejudge", is_flag=True, help="Judge again what was judged with another bundle.")
@click.option("--copy-store", type=click.Path(path_type=Path), help="Copy the store there and end.")
@click.option(
    "--time-scale",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    metavar="X",
    help="Multiply every time limit, for a slow machine.",
)
@click.option(
    "--allow-weak-isolation",
    is_flag=True,
    help="Judge even where a submission could reach what it must not.",
)
@options.problem_option
def command(
    host: str,
    port: int,
    store: Path | None,
    jobs: int | None,
    scheduler: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    token: str,
    retention: float,
    names: tuple[str, ...],
    rejudge: bool,
    copy_store: Path | None,
    time_scale: float,
    allow_weak_isolation: bool,
    problem_folder: Path | None,
) -> int:
    """Start the web page: read, write, run, submit, understand.

    It listens on this machine alone. On another address it demands what `judge doctor` proves, and
    a token; or put a proxy with sign-in before it, give its --name, and let the page listen on
    127.0.0.1. It judges with a copy of the bundle made at its start.

    \b
    Examples:
      judge serve                                  http://127.0.0.1:8080
      judge serve --store course.sqlite --port 9000
      JUDGE_TOKEN=… judge serve --host 0.0.0.0
      judge serve --name judge.example.org         behind a proxy of that name
      judge serve --store course.sqlite --copy-store backup.sqlite
    """
    from judge.batch.jobs import Setting
    from judge.batch.pool import usable_cores
    from judge.problem import bundle_digest
    from judge.web.snapshot import snapshot

    problem = options.load_problem(problem_folder)
    place = (store or default_store()).absolute()
    if copy_store is not None:
        return _copy(place, copy_store)
    if host not in _LOCAL and not token:
        raise click.UsageError(
            f"--host {host} is open to others: give a --token, or listen on 127.0.0.1 and put a "
            "proxy with sign-in before it"
        )
    from judge.web.store import Store, StoreError

    _demand_free(host, port)
    try:
        opened = Store(place)
    except StoreError as error:
        raise click.UsageError(str(error)) from None
    with opened as submissions:
        # Beside the store, which is this process's alone: a killed server leaves no more than one.
        copy = snapshot(problem.folder, place.with_name(f"{place.name}.bundle"))
        weak = allow_weak_isolation and host in _LOCAL
        if not _isolated(copy, weak):
            return options.EXIT_JUDGE_ERROR
        setting = Setting(
            copy.folder, bundle_digest(copy.folder), time_scale, pages=True, weak=weak
        )
        from judge.web.server import Options, serve

        cluster: Any = None
        workers = jobs or usable_cores()
        if scheduler:
            from judge.batch.cluster import connect

            joined = connect(scheduler, copy.folder, ca=tls_ca, cert=tls_cert, key=tls_key)
            cluster, workers = (joined.executor, joined.work), jobs or joined.threads
        asked = Options(
            host=host, port=port, workers=workers, token=token,
            names=frozenset(names), retention_s=retention * _DAY_S, rejudge=rejudge,
        )  # fmt: skip
        contents = _contents(problem, copy)
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"http://{shown}:{port}  (submissions in {place}; end with Ctrl-C)", err=True)
        serve(
            copy, problem.folder, setting, submissions, contents, _described(copy), asked, cluster
        )
    return 0


def _demand_free(host: str, port: int) -> None:
    """Say at once, and not after all is prepared, that somebody else listens there."""
    import socket

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(address)
    except OSError as error:
        raise click.UsageError(
            f"can't listen on {host}, port {port}: {error.strerror or error}; choose another --port"
        ) from None


def _copy(store: Path, target: Path) -> int:
    """Copy the database, also while a server uses it."""
    import sqlite3
    from contextlib import closing

    if not store.exists():
        raise click.UsageError(f"{store}: there is no store")
    source = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    click.echo(f"copied to {target}")
    return 0


def _isolated(problem: Problem, weak: bool) -> bool:
    """Demand the proved properties before the first stranger's file comes."""
    from judge.runner import Judge
    from judge.sandbox.process import SandboxError
    from judge.sandbox.selftest import missing_properties

    try:
        with Judge(problem) as judge:
            missing = missing_properties(judge.isolation)
    except SandboxError as error:
        click.echo(f"error: the judge can't start a process for submissions: {error}", err=True)
        return False
    if missing and not weak:
        click.echo(
            f"error: isolation is weak here: {', '.join(missing)} not proved. Other people's files "
            "are not judged so; see why with: judge doctor (a page for this machine alone may be "
            "allowed with --allow-weak-isolation)",
            err=True,
        )
        return False
    return True


def _contents(whole: Problem, problem: Problem) -> Contents:
    """Render the texts of the whole bundle, and gather what the page shows of the judged copy."""
    from judge.authoring.document import document
    from judge.counterexamples import COUNTEREXAMPLES, load_counterexamples, secret_answers
    from judge.mistakes import Mistakes
    from judge.report import PUBLIC_GROUPS
    from judge.report.snippet import snippet
    from judge.testcases import FOLDER, load_manifest
    from judge.web.findings import Knowledge
    from judge.web.page import Contents

    mistakes = Mistakes.load(problem)
    known = {mistake.id: mistake for mistake in mistakes.known}

    def advise(identity: str, level: str) -> str:
        asked = cast("Level", level)
        parts = [part for part in identity.split("+") if part in known]
        return " ".join(known[part].advise(asked) for part in parts)

    found = (problem.folder / FOLDER / COUNTEREXAMPLES).is_file()
    secret = secret_answers(problem, PUBLIC_GROUPS)
    examples = load_counterexamples(problem) if found else {}

    def counterexample(identity: str) -> str:
        example = examples.get(identity)
        if example is None or example.expected.tobytes() in secret:
            return ""
        return snippet(problem, identity, example.inputs, example.expected)

    starter = whole.folder / "starter" / problem.function_file
    return Contents(
        name=problem.name,
        slug=problem.slug,
        file=problem.function_file,
        document=document(whole),
        starter=starter.read_text(encoding="utf-8") if starter.is_file() else "",
        cases=[(entry.name, entry.group) for entry in load_manifest(problem).cases],
        knowledge=Knowledge(advise, counterexample),
    )


def _described(problem: Problem) -> dict[str, Any]:
    """Return what /api/problem tells: nothing of secret cases but how many there are."""
    import msgspec

    from judge.report import PUBLIC_GROUPS
    from judge.testcases import load_manifest

    entries = load_manifest(problem).cases
    return {
        "format": 1,
        "name": problem.name,
        "slug": problem.slug,
        "version": problem.version,
        "difficulty": problem.difficulty,
        "function": msgspec.to_builtins(problem.function),
        "tolerance": msgspec.to_builtins(problem.tolerance),
        "limits": msgspec.to_builtins(problem.limits),
        "groups": msgspec.to_builtins(problem.groups),
        "samples": [entry.name for entry in entries if entry.group in PUBLIC_GROUPS],
        "cases": len(entries),
    }
