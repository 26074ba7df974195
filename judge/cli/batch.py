"""`judge batch`: many submissions from files, folders and zips."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.cli import options
from judge.verdicts import Verdict

if TYPE_CHECKING:
    from judge.batch.collect import Collection
    from judge.batch.drive import Drive
    from judge.batch.rows import Row
    from judge.batch.run import Batch
    from judge.problem import Problem

EXIT_JUDGE_ERROR = 3
_SHOWN = 10


@dataclass(frozen=True)
class _Wish:
    """What is to be written beside the results."""

    output: Path
    resume: bool
    force: bool
    against: Path | None
    feedback: Path | None
    csv: Path | None
    summary: Path | None
    roster: Path | None


@click.command("batch")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("results.jsonl"),
    show_default=True,
    help="Append each result to this file (JSON Lines) as it comes.",
)
@click.option("--resume", is_flag=True, help="Skip what has a result there for the same source.")
@click.option("--force", is_flag=True, help="Start the file of results anew.")
@click.option("--id-regex", metavar="REGEX", help="Says whose a file is: searched in its path.")
@click.option(
    "--keep",
    type=click.Choice(["last", "first", "all"]),
    default="last",
    show_default=True,
    help="Which of several files of one person counts, by name.",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Who was expected, one id a line: names who is missing.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Earlier results: list whose verdict has changed.",
)
@click.option(
    "--feedback",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write one learner's HTML page a submission into this folder.",
)
@click.option("--csv", type=click.Path(path_type=Path, dir_okay=False), help="Write a table.")
@click.option(
    "--summary",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page on all of them.",
)
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Processes; by default all cores."
)
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster: tcp://… or tls://….")
@click.option("--tls-ca", type=click.Path(path_type=Path, exists=True), help="For tls: authority.")
@click.option("--tls-cert", type=click.Path(path_type=Path, exists=True), help="For tls: own.")
@click.option("--tls-key", type=click.Path(path_type=Path, exists=True), help="For tls: its key.")
@click.option(
    "--advice",
    type=click.Choice(["gentle", "clear", "explicit"]),
    default="gentle",
    show_default=True,
    help="How much the diagnosis gives away.",
)
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
    paths: tuple[Path, ...],
    id_regex: str | None,
    keep: str,
    jobs: int | None,
    scheduler: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    advice: str,
    time_scale: float,
    allow_weak_isolation: bool,
    problem_folder: Path | None,
    **wishes: object,
) -> int:
    """Judge many submissions: files, folders, zips, as a course's system gives them.

    Each result is written as it comes, so that a kill at any moment loses only what was running;
    --resume goes on from there. The exit code is 0 when every submission has a verdict that is not
    the judge's own fault.

    \b
    Examples:
      judge batch submissions.zip --csv results.csv --summary summary.html
      judge batch handed-in/ --id-regex '^[^/]*/(?P<id>[a-z]+)_' --roster course.csv
      judge batch handed-in/ --resume
      judge batch handed-in/ -o new.jsonl --against results.jsonl
      judge batch handed-in/ --feedback feedback/
      judge batch handed-in/ --scheduler tcp://scheduler:8786
    """
    from judge.batch.collect import collect
    from judge.batch.drive import Drive
    from judge.batch.jobs import Setting, WeakIsolationError
    from judge.problem import bundle_digest

    wish = _Wish(**wishes)  # type: ignore[arg-type]
    pattern = _compiled(id_regex)
    _check_output(wish)
    problem = options.load_problem(problem_folder)
    try:
        collection = collect(paths, pattern, keep)  # type: ignore[arg-type]
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from None
    _say_skipped(collection)
    if not collection.submissions:
        raise click.UsageError("no submission there: a submission is a .py file")
    setting = Setting(
        problem.folder,
        bundle_digest(problem.folder),
        time_scale,
        advice,
        wish.feedback is not None,
        allow_weak_isolation,
    )
    with ExitStack() as stack:
        if scheduler:
            from judge.batch.cluster import connect

            cluster = connect(scheduler, problem.folder, ca=tls_ca, cert=tls_cert, key=tls_key)
            stack.callback(cluster.close)
            window = 4 * cluster.threads
            drive = Drive(problem, setting, cluster.executor, window, cluster.work)
        else:
            drive = _local(problem, setting, jobs)
        try:
            return _judge(drive, collection, wish)
        except WeakIsolationError as error:
            click.echo(
                f"error: isolation is weak here: {error} not proved. Other people's files are not "
                "judged so; see why with: judge doctor, or allow it with --allow-weak-isolation",
                err=True,
            )
            return EXIT_JUDGE_ERROR


def _local(problem: Problem, setting: object, jobs: int | None) -> Drive:
    from judge.batch.drive import Drive
    from judge.batch.pool import usable_cores, zygote_pool

    workers = jobs or usable_cores()
    return Drive(problem, setting, lambda: zygote_pool(workers), 2 * workers)  # type: ignore[arg-type]


def _judge(drive: Drive, collection: Collection, wish: _Wish) -> int:
    from judge.batch.run import Batch

    if wish.feedback is not None:
        wish.feedback.mkdir(parents=True, exist_ok=True)
    batch = Batch(drive, wish.output, wish.feedback, wish.resume)
    progress = _Progress(len(collection.submissions))
    try:
        rows = batch.run(collection.submissions, progress.on_row)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    finally:
        progress.close()
    changed = _changed(wish.against, rows) if wish.against else []
    missing, strangers = _roster(wish.roster, rows)
    _say(rows, batch.kept, progress, wish.output)
    for who, before, now in changed:
        click.echo(f"changed: {who}: {before} before, {now} now")
    if wish.against and not changed:
        click.echo("no verdict has changed")
    _say_people("missing", missing)
    _say_people("not on the roster", strangers)
    if wish.csv is not None:
        from judge.batch.rows import write_csv

        with wish.csv.open("w", encoding="utf-8", newline="") as file:
            write_csv(file, rows)
    if wish.summary is not None:
        _write_summary(batch, collection, wish, rows, changed, (missing, strangers))
    return EXIT_JUDGE_ERROR if any(row.verdict == Verdict.JE for row in rows) else 0


def _write_summary(
    batch: Batch,
    collection: Collection,
    wish: _Wish,
    rows: Sequence[Row],
    changed: Sequence[tuple[str, str, str]],
    people: tuple[Sequence[str], Sequence[str]],
) -> None:
    import os

    from judge.batch.rows import page_name
    from judge.batch.summary import Summary, to_summary_page
    from judge.cli.output import write_file
    from judge.mistakes import Mistakes
    from judge.testcases import load_manifest

    assert wish.summary is not None  # noqa: S101 (the caller asked)
    pages = {}
    if wish.feedback is not None:
        base = os.path.relpath(wish.feedback, wish.summary.parent)
        pages = {row.id: f"{base}/{page_name(row.id)}" for row in rows}
    problem = batch.drive.problem
    summary = Summary(
        problem=problem.name,
        rows=rows,
        cases=[entry.name for entry in load_manifest(problem).cases],
        titles={m.id: m.title for m in Mistakes.load(problem).known} | batch.titles,
        missing=people[0],
        strangers=people[1],
        changed=changed,
        twins=_twins(batch.drive, collection),
        pages=pages,
    )
    write_file(wish.summary, to_summary_page(summary))


def _twins(drive: Drive, collection: Collection) -> list[list[str]]:
    from judge.batch.pool import zygote_pool
    from judge.batch.twins import find_twins

    def sources() -> Iterator[tuple[str, bytes]]:
        for found in collection.submissions:
            try:
                yield found.id, found.read(drive.problem.limits.code * 1024)
            except OSError:
                continue

    with zygote_pool(1) as pool:
        return find_twins(pool, drive.setting, sources())


def _compiled(id_regex: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(id_regex) if id_regex else None
    except re.error as error:
        raise click.UsageError(f"--id-regex: {error}") from None


def _check_output(wish: _Wish) -> None:
    if wish.resume and wish.force:
        raise click.UsageError("--resume and --force exclude one another")
    if wish.output.exists() and wish.output.stat().st_size and not wish.resume:
        if not wish.force:
            raise click.UsageError(
                f"{wish.output} has results already: go on with --resume, start anew with --force, "
                "or name another file with --output"
            )
        wish.output.unlink()
    for path in (wish.output, wish.csv, wish.summary):
        if path is not None and not path.absolute().parent.is_dir():
            raise click.UsageError(f"{path}: there is no folder {path.absolute().parent}")


def _changed(against: Path, rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    from judge.batch.results import read_results
    from judge.batch.rows import changed_verdicts

    try:
        old = {result.id: str(result.report.verdict) for result in read_results(against)}
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return changed_verdicts(old, rows)


def _roster(roster: Path | None, rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    if roster is None:
        return [], []
    from judge.batch.collect import read_roster
    from judge.batch.rows import missing_from

    expected = read_roster(roster)
    return missing_from(expected, rows), [row.id for row in rows if row.id not in set(expected)]


def _say_skipped(collection: Collection) -> None:
    for path, why in collection.skipped[:_SHOWN]:
        click.echo(f"note: {path}: {why}", err=True)
    if len(collection.skipped) > _SHOWN:
        click.echo(f"note: … and {len(collection.skipped) - _SHOWN} more", err=True)
    if collection.replaced:
        count = len(collection.replaced)
        click.echo(f"note: {count} earlier files of the same people are left out", err=True)


def _say_people(what: str, ids: Sequence[str]) -> None:
    if ids:
        click.echo(f"{what} ({len(ids)}): {', '.join(ids)}")


def _say(rows: Sequence[Row], kept: int, progress: _Progress, output: Path) -> None:
    counts = Counter(row.verdict for row in rows)
    told = ", ".join(f"{counts[v]} {v}" for v in Verdict if counts[v])
    before = f", {kept} of them from before" if kept else ""
    click.echo(f"{len(rows)} submissions{before}: {told}  ({progress.pace()})")
    for row in rows:
        if row.verdict == Verdict.JE:
            click.echo(f"judge error: {row.id}: {row.why}")
    click.echo(f"results in {output}")


@dataclass
class _Progress:
    """A line on a terminal: how many are done, how fast, how long it will take."""

    total: int
    done: int = 0
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def on_row(self, row: Row) -> None:
        """Count one."""
        self.done += 1
        now = time.monotonic()
        if sys.stderr.isatty() and (now - self.shown > 0.1 or self.done == self.total):
            self.shown = now
            left = (self.total - self.done) * (now - self.started) / self.done
            line = f"{self.done} of {self.total}, {self.pace()}, {left:.0f} s left: {row.id}"
            sys.stderr.write(f"\r\x1b[K{line[:100]}")
            sys.stderr.flush()

    def pace(self) -> str:
        """Return the rate so far."""
        seconds = time.monotonic() - self.started
        return f"{self.done / seconds:.1f} a second, {seconds:.1f} s" if seconds > 0 else ""

    def close(self) -> None:
        """Take the line away."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
