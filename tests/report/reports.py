"""Reports of every kind to render: built by hand, so that no judge has to run."""

from __future__ import annotations

from judge.verdicts import (
    CaseResult,
    Diagnosis,
    Evidence,
    Isolation,
    Provenance,
    Reason,
    Report,
    Timing,
    ValueDifference,
    Verdict,
    number,
    overall,
    score,
)

PROVED = ["answers-unreadable", "no-network", "no-survivors", "judge-unreachable"]
NAMES = (
    "sample/single-token",
    "sample/two-heads",
    "sample/equal-rows",
    "sample/what-samples-miss",
    "secret/one-by-one",
    "secret/near-eps-rows",
    "secret/large-logits",
    "secret/batch-of-three",
)

SOURCE = '''\
import numpy as np


def encoder_block(x, *rest):
    """Return x, scaled."""
    scale = rest[0]
    return x @ scale
'''


def difference(
    expected: float, actual: float, mismatched: int = 12, elements: int = 24, index=(0, 3, 1)
):
    absolute = abs(actual - expected)
    return ValueDifference(
        index=list(index),
        expected=number(expected),
        actual=number(actual),
        absolute=number(absolute),
        relative=number(absolute / abs(expected)) if expected else "inf",
        error_over_tolerance=number(absolute / (2e-12 + 2e-12 * abs(expected))),
        mismatched=mismatched,
        elements=elements,
    )


def accepted(name: str, error: float = 2e-16) -> CaseResult:
    return CaseResult(
        name=name,
        group=name.split("/", maxsplit=1)[0],
        verdict=Verdict.AC,
        time_s=0.00012,
        error=difference(0.75, 0.75 + error, mismatched=0),
    )


def failed(name: str, verdict: Verdict, reason: Reason, message: str = "", **more) -> CaseResult:
    more.setdefault("time_s", 0.00034)
    return CaseResult(
        name=name,
        group=name.split("/", maxsplit=1)[0],
        verdict=verdict,
        reason=reason,
        message=message,
        **more,
    )


def report(cases: list[CaseResult], submission: str = "my_solution.py", **more) -> Report:
    fields = {
        "problem": "encoder-block",
        "submission": submission,
        "verdict": overall(cases),
        "score": score(cases, {"sample": 1.0, "secret": 1.0}),
        "passed": sum(case.verdict is Verdict.AC for case in cases),
        "total": len(cases),
        "isolation": Isolation(PROVED, {"landlock": "ok (abi 7)", "seccomp": "ok"}),
        "provenance": Provenance(
            judge="1.0.0",
            bundle="sha256:" + "b" * 64,
            source="sha256:" + "5" * 64,
            python="3.11.2",
            numpy="2.4.6",
            machine="x86_64",
        ),
        "time": Timing(wall_s=0.1412, boot_s=0.093, import_s=0.0021, cpu_s=0.031),
        "peak_memory_bytes": 41_943_040,
        "cases": cases,
    }
    return Report(**{**fields, **more})


def _with(*bad: CaseResult) -> list[CaseResult]:
    by_name = {case.name: case for case in bad}
    return [by_name.get(name) or accepted(name) for name in NAMES]


def _all(verdict: Verdict, reason: Reason, message: str, **more) -> list[CaseResult]:
    return [failed(name, verdict, reason, message, **more) for name in NAMES]


EPS = Diagnosis(
    id="eps-outside-root",
    title="eps outside the square root",
    stage="norm",
    advice="Look at where eps enters the layer normalization.",
    evidence=Evidence(4, 3.2e-10),
    counterexample="eps-outside-root",
)
TAGS = Diagnosis(
    id="tags",
    title="What the failing cases have in common",
    stage="",
    advice="All 2 failing cases have the tag near-eps; every other case passed.",
)


def by_kind() -> dict[str, tuple[Report, str | None]]:
    """Return a report and the submission's source for every kind of outcome."""
    wrong = [
        failed(
            "sample/two-heads",
            Verdict.WA,
            Reason.VALUE,
            "…",
            error=difference(0.9130218844, -0.4821760311, 22),
        ),
        failed(
            "secret/near-eps-rows",
            Verdict.WA,
            Reason.VALUE,
            "…",
            error=difference(0.25, 0.25 + 6e-7, 1, 90),
        ),
        failed(
            "secret/large-logits",
            Verdict.WA,
            Reason.NON_FINITE,
            "result[0, 0, 0] is nan; 8 of 24 elements are not finite",
        ),
        failed(
            "secret/batch-of-three",
            Verdict.WA,
            Reason.VALUE,
            "…",
            error=difference(-1.5, -1.499, 24),
        ),
    ]
    raised = failed(
        "secret/batch-of-three",
        Verdict.RTE,
        Reason.EXCEPTION,
        "ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0",
        exception="ValueError",
        line=7,
        traceback=["line 7, in encoder_block: return x @ scale"],
        output="x has shape (3, 2, 4)\n",
    )
    slow = [
        failed(name, Verdict.TLE, Reason.CALL_TIME, "no result after 2 s", time_s=2.0)
        for name in NAMES[:3]
    ] + [
        failed(
            name, Verdict.NOT_RUN, Reason.TIME_OUTS, "three cases timed out before it", time_s=0.0
        )
        for name in NAMES[3:]
    ]
    return {
        "accepted": (report(_with()), SOURCE),
        "wrong-values": (report(_with(*wrong), diagnosis=[EPS, TAGS]), SOURCE),
        "none": (
            report(
                _all(
                    Verdict.WA,
                    Reason.TYPE,
                    "the function returned None; expected an np.ndarray (is a return missing?)",
                )
            ),
            SOURCE,
        ),
        "wrong-shape": (
            report(
                _with(
                    failed(
                        "secret/one-by-one",
                        Verdict.WA,
                        Reason.SHAPE,
                        "expected (1, 1, 4) = (batch, sequence, d_model), got (1, 4)",
                    )
                )
            ),
            SOURCE,
        ),
        "state": (
            report(
                _with(
                    failed(
                        "sample/single-token",
                        Verdict.WA,
                        Reason.STATE,
                        "given the same input again, the answer differs",
                        error=difference(0.5, 0.625, 4, 4, (0, 0, 2)),
                    )
                )
            ),
            SOURCE,
        ),
        "exception": (
            report(
                _with(raised),
                notes=["The argument x was changed in 2 cases; each got a fresh copy."],
            ),
            SOURCE,
        ),
        "syntax": (
            report(
                _all(
                    Verdict.CE,
                    Reason.SYNTAX,
                    "line 4: '(' was never closed",
                    line=4,
                    exception="SyntaxError",
                    time_s=0.0,
                )
            ),
            SOURCE,
        ),
        "no-function": (
            report(
                _all(
                    Verdict.CE,
                    Reason.NO_FUNCTION,
                    'no function "encoder_block"; found "encoderBlock", line 4',
                    line=4,
                    time_s=0.0,
                )
            ),
            SOURCE,
        ),
        "time-outs": (report(slow, time=Timing(6.31, 0.09, 0.002, 6.2)), SOURCE),
        "memory": (
            report(
                _with(
                    failed("secret/large-logits", Verdict.MLE, Reason.MEMORY, "more than 1024 MiB")
                )
            ),
            SOURCE,
        ),
        "output": (
            report(
                _with(
                    failed(
                        "secret/large-logits",
                        Verdict.OLE,
                        Reason.OUTPUT,
                        "printed more than 8 MiB",
                        output="spam\n" * 8,
                    )
                )
            ),
            SOURCE,
        ),
        "judge-error": (
            report(
                _with(
                    failed(
                        "secret/large-logits",
                        Verdict.JE,
                        Reason.JUDGE,
                        "the zygote did not answer within 10 s",
                    )
                ),
                isolation=Isolation(),
            ),
            None,
        ),
        "nearly-right": (
            report(
                _with(
                    failed(
                        "sample/two-heads",
                        Verdict.WA,
                        Reason.VALUE,
                        "…",
                        error=difference(0.25, 0.25 + 6e-7, 1, 90),
                    )
                )
            ),
            SOURCE,
        ),
        "not-a-number": (
            report(
                [
                    failed(
                        "sample/x",
                        Verdict.WA,
                        Reason.NON_FINITE,
                        "element [0, 3, 1] is nan, expected 0.5",
                        error=difference(0.5, float("nan"), 8),
                    )
                ]
            ),
            SOURCE,
        ),
        "scalar": (
            report(
                [
                    failed(
                        "sample/dot",
                        Verdict.WA,
                        Reason.VALUE,
                        "…",
                        error=difference(6.0, 7.0, 1, 1, ()),
                    )
                ]
            ),
            None,
        ),
    }
