"""What a judge says: verdicts, reasons, and the report with its stable JSON form.

The verdict names are those of the Kattis problem package format 2025-09 and its relatives.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

REPORT_FORMAT = 1

Number: TypeAlias = float | str
"""A float, or one of the strings "nan", "inf", "-inf", which JSON has no numbers for."""


class Verdict(enum.StrEnum):
    """The outcome of one test case, and of a whole submission (all but `NOT_RUN`)."""

    AC = "AC"
    WA = "WA"
    TLE = "TLE"
    MLE = "MLE"
    OLE = "OLE"
    RTE = "RTE"
    CE = "CE"
    JE = "JE"
    NOT_RUN = "not-run"

    @property
    def meaning(self) -> str:
        """The verdict in words, as in "wrong answer"."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.AC: "accepted",
    Verdict.WA: "wrong answer",
    Verdict.TLE: "time limit exceeded",
    Verdict.MLE: "memory limit exceeded",
    Verdict.OLE: "output limit exceeded",
    Verdict.RTE: "run-time error",
    Verdict.CE: "can't be loaded",
    Verdict.JE: "judge error",
    Verdict.NOT_RUN: "not run",
}


class Reason(enum.StrEnum):
    """Why a case failed, in a word that programs can rely on."""

    # WA, in the order in which a result is checked
    TYPE = "type"
    DTYPE = "dtype"
    SHAPE = "shape"
    NON_FINITE = "non-finite"
    VALUE = "value"
    STATE = "state"
    # CE
    EMPTY = "empty"
    BINARY = "binary"
    ENCODING = "encoding"
    SIZE = "size"
    NOTEBOOK = "notebook"
    SYNTAX = "syntax"
    MISSING_MODULE = "missing-module"
    IMPORT_EXCEPTION = "import-exception"
    IMPORT_EXIT = "import-exit"
    IMPORT_CRASH = "import-crash"
    NO_FUNCTION = "no-function"
    SIGNATURE = "signature"
    # RTE
    EXCEPTION = "exception"
    EXIT = "exit"
    CRASH = "crash"
    PROTOCOL = "protocol"
    # limits
    IMPORT_TIME = "import-time"
    CALL_TIME = "call-time"
    TOTAL_TIME = "total-time"
    MEMORY = "memory"
    OUTPUT = "output"
    # not run
    TIME_OUTS = "time-outs"
    STOPPED = "stopped"
    # JE
    JUDGE = "judge"


class ValueDifference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The worst element of a wrong value, and how much of the array is off.

    Args:
        index: position of the worst element, `[]` for a scalar.
        expected: the answer there.
        actual: what the submission returned there.
        absolute: |actual - expected|.
        relative: absolute over |expected|; "inf" where expected is 0.
        error_over_tolerance: absolute over (absolute tolerance + relative tolerance * |expected|).
        mismatched: number of elements outside the tolerance.
        elements: number of elements.
    """

    index: list[int]
    expected: Number
    actual: Number
    absolute: Number
    relative: Number
    error_over_tolerance: Number
    mismatched: int
    elements: int


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one test case.

    Args:
        name: the case's name, as in "secret/near-eps-rows".
        group: its group.
        verdict: the outcome.
        reason: why, when it is not AC.
        message: the same for people: what is wrong, where, what was expected.
        exception: type of the exception raised, if any ("ValueError").
        line: line of the submission where it was raised, or where the fault is.
        traceback: the submission's own lines on the way to the exception, outermost first.
        time_s: wall time of the call in seconds.
        output: the first 4 KiB that the submission printed during this case; of one that printed
            nothing in the first case, its first lines may stand with the case before.
        error: how far off the value is; also given for accepted values.
    """

    name: str
    group: str
    verdict: Verdict
    reason: Reason | None = None
    message: str = ""
    exception: str | None = None
    line: int | None = None
    traceback: list[str] = []
    time_s: float = 0.0
    output: str = ""
    error: ValueDifference | None = None


class Evidence(msgspec.Struct, frozen=True):
    """On how many core cases a mistake's outputs equal the submission's, and how nearly.

    Args:
        cases: number of core cases that agree.
        distance: max|submission - mistake| over max|submission - exact|, over all core cases.
    """

    cases: int
    distance: float


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """One explanation of what is wrong with a submission.

    Args:
        id: the mistake's id ("pre-norm"), two joined by "+", or that of a general finding.
        title: the mistake in a few words.
        stage: the part of the computation that it is in.
        advice: one line, of the explicitness asked for.
        evidence: why the judge thinks so; None for findings that rest on which cases fail.
        counterexample: name of a public case that shows it, if there is one.
    """

    id: str
    title: str
    stage: str
    advice: str
    evidence: Evidence | None = None
    counterexample: str | None = None


class Isolation(msgspec.Struct, frozen=True):
    """What a self-test proved from inside a worker, and the state of each layer.

    Args:
        proved: names of the properties proved, among answers-unreadable, no-network,
            no-survivors, judge-unreachable.
        layers: layer name to state, as in {"landlock": "ok (abi 7)"}.
    """

    proved: list[str] = []
    layers: dict[str, str] = {}


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """What produced a report, so that it can be produced again.

    Args:
        judge: the judge's version.
        bundle: digest of the bundle ("sha256:…").
        source: digest of the submission's bytes.
        python: version of the interpreter that ran it.
        numpy: version of NumPy that it saw.
        machine: processor architecture.
        seed: seed of fresh cases, if any were drawn.
    """

    judge: str
    bundle: str
    source: str
    python: str
    numpy: str
    machine: str
    seed: int | None = None


class Timing(msgspec.Struct, frozen=True):
    """Where the time went, in seconds: wall, booting the sandbox, importing the file, CPU used."""

    wall_s: float = 0.0
    boot_s: float = 0.0
    import_s: float = 0.0
    cpu_s: float = 0.0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the judge says about one submission; `docs/formats.md` has its JSON schema."""

    format: int = REPORT_FORMAT
    problem: str
    submission: str
    verdict: Verdict
    score: float
    passed: int
    total: int
    isolation: Isolation
    provenance: Provenance
    time: Timing
    peak_memory_bytes: int
    notes: list[str] = []
    cases: list[CaseResult] = []
    diagnosis: list[Diagnosis] = []

    def to_json(self) -> bytes:
        """Return the report as one JSON document (UTF-8)."""
        return msgspec.json.encode(self)

    @staticmethod
    def from_json(data: bytes | str) -> Report:
        """Read a report back; raises `msgspec.ValidationError` for anything that is not one."""
        return msgspec.json.decode(data, type=Report)


def number(value: float) -> Number:
    """Return a float as JSON can hold it: non-finite values by name."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def overall(cases: Sequence[CaseResult]) -> Verdict:
    """Return a submission's verdict: JE if any case has it, else the first failing case's.

    A case that was not run fails nothing by itself: something before it did.
    """
    verdicts = [case.verdict for case in cases]
    if Verdict.JE in verdicts:
        return Verdict.JE
    return next((v for v in verdicts if v not in (Verdict.AC, Verdict.NOT_RUN)), Verdict.AC)


def score(cases: Sequence[CaseResult], weights: dict[str, float]) -> float:
    """Return passed weight over total weight; every case has the weight of its group.

    Cases with a judge error count on neither side: a fault of the judge costs nobody points.
    """
    counted = [case for case in cases if case.verdict is not Verdict.JE]
    total = sum(weights[case.group] for case in counted)
    passed = sum(weights[case.group] for case in counted if case.verdict is Verdict.AC)
    return passed / total if total else 0.0
