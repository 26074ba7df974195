"""One judgement as a unit of work, for a process of this machine or of another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from judge.problem import Problem, bundle_digest
from judge.verdicts import CaseResult, Report

if TYPE_CHECKING:
    from judge.runner import Execution, Judge
    from judge.testcases import TestCase


@dataclass(frozen=True)
class Setting:
    """How all submissions of a batch are judged.

    Args:
        folder: the bundle's folder on the machine that judges.
        bundle: its digest; a judge whose bundle has another refuses.
        time_scale: factor on the time limits.
        advice: explicitness of the diagnosis.
        pages: whether a learner's HTML page is wanted of each submission.
        weak: whether to judge even where a property of isolation is not proved.
    """

    folder: Path
    bundle: str
    time_scale: float = 1.0
    advice: str = "gentle"
    pages: bool = False
    weak: bool = False


class WeakIsolationError(Exception):
    """Where this runs, a submission could reach what it must not; the message names what."""


@dataclass(frozen=True)
class Job:
    """One submission to be judged.

    Args:
        id: whose it is.
        name: what reports call it.
        source: its bytes.
        group: judge on the cases of this test group alone; on all when empty.
    """

    id: str
    name: str
    source: bytes
    group: str = ""


class Judged(msgspec.Struct, frozen=True):
    """What came of a job: the whole report, and the learner's page if one is wanted."""

    report: Report
    page: bytes = b""


_local = threading.local()


def judge_job(
    setting: Setting, job: Job, on_case: Callable[[CaseResult], None] | None = None
) -> bytes:
    """Judge one submission with this thread's judge; returns an encoded `Judged`.

    The zygote is kept for the next job of the same setting. `on_case` is called with each case's
    result as it comes.

    Raises:
        BundleError: the bundle is broken, or is not the one that was asked for.
        SandboxError: no sandbox could be started.
        WeakIsolationError: a property is not proved, and the setting does not allow that.
    """
    judge = judge_of(setting)
    _demand_isolation(judge, setting)
    cases = [case for case in judge.cases if job.group in ("", case.group)]
    execution = judge.execute(job.source, name=job.name, cases=cases, on_case=on_case)
    report = _explained(judge, execution, setting.advice, cases)
    page = _page(judge, execution, report, cases) if setting.pages else b""
    return msgspec.msgpack.encode(Judged(report, page))


def decode_judged(data: bytes) -> Judged:
    """Read what `judge_job` returned."""
    return msgspec.msgpack.decode(data, type=Judged)


def close_judge() -> None:
    """End this thread's sandbox, if it has one."""
    judge: Judge | None = getattr(_local, "judge", None)
    _local.judge = None
    if judge is not None:
        judge.close()


def _demand_isolation(judge: Judge, setting: Setting) -> None:
    from judge.sandbox.selftest import missing_properties

    missing = [] if setting.weak else missing_properties(judge.isolation)
    if missing:
        raise WeakIsolationError(", ".join(missing))


def judge_of(setting: Setting) -> Judge:
    """Return this thread's judge, made anew when the setting is another bundle's."""
    from judge.faults import BundleError, Fault
    from judge.runner import Judge

    held = getattr(_local, "held", None)
    if held == (setting.folder, setting.bundle, setting.time_scale) and _local.judge is not None:
        kept: Judge = _local.judge
        return kept
    close_judge()
    found = bundle_digest(setting.folder)
    if found != setting.bundle:
        message = f"this is bundle {found[:19]}, and {setting.bundle[:19]} was asked for"
        raise BundleError([Fault(str(setting.folder), message)])
    judge = Judge(Problem.load(setting.folder), time_scale=setting.time_scale)
    _local.judge, _local.held = judge, (setting.folder, setting.bundle, setting.time_scale)
    return judge


def _explained(
    judge: Judge, execution: Execution, advice: str, cases: Sequence[TestCase]
) -> Report:
    from judge.diagnosis import diagnose

    found = diagnose(judge, execution, advice, cases=cases)  # type: ignore[arg-type]
    return msgspec.structs.replace(execution.report, diagnosis=found)


def _page(judge: Judge, execution: Execution, report: Report, cases: Sequence[TestCase]) -> bytes:
    from judge.report import PUBLIC_GROUPS, for_audience
    from judge.report.details import case_details
    from judge.report.html import to_html
    from judge.testcases import load_manifest

    text = execution.source.decode("utf-8", "replace")
    details = case_details(judge.problem, cases, execution.outputs, "learner")
    entries = load_manifest(judge.problem).cases
    shows = {entry.name: entry.shows for entry in entries if entry.group in PUBLIC_GROUPS}
    shown = for_audience(report, "learner", lines=len(text.splitlines()))
    return to_html(shown, text, details=details, shows=shows)
