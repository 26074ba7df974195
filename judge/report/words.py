"""Plain words for what a report says: each reason, kinds of error, what made the report."""

from __future__ import annotations

import math
from typing import NamedTuple

from judge.report.writing import brief, duration, numbers, one_line, place
from judge.verdicts import CaseResult, Reason, Report, ValueDifference, Verdict


class Words(NamedTuple):
    """A kind of fault in plain words: its name in a few, and what to do about it."""

    title: str
    advice: str


WORDS: dict[Reason, Words] = {
    Reason.TYPE: Words(
        "not an array",
        "The function has to return an np.ndarray: no list, number or None, no np.matrix and no "
        "masked array.",
    ),
    Reason.DTYPE: Words(
        "wrong dtype",
        "The values have another dtype than the signature says. Look for a conversion (astype, "
        "dtype=…), or for an array made from whole numbers.",
    ),
    Reason.SHAPE: Words(
        "wrong shape",
        "The result has another shape than the signature says. Print the shapes on the way: the "
        "first one that surprises you is the place.",
    ),
    Reason.NON_FINITE: Words(
        "NaN or infinity",
        "Somewhere a number overflows, or 0/0 or inf - inf is computed. Look for the first step "
        "after which np.isfinite(…).all() is False.",
    ),
    Reason.VALUE: Words("wrong values", ""),
    Reason.STATE: Words(
        "another answer the second time",
        "The same input was given twice and the answers differ: something is kept between calls "
        "(a global, a mutable default, an argument changed in place), or drawn at random.",
    ),
    Reason.EMPTY: Words("the file is empty", "Write the function and save the file."),
    Reason.BINARY: Words("not a text file", "A submission is Python source, not a compiled file."),
    Reason.ENCODING: Words("not UTF-8", "Save the file as UTF-8."),
    Reason.SIZE: Words("the file is too large", "Submit the function alone, without data."),
    Reason.NOTEBOOK: Words(
        "a notebook, not a Python file",
        "Export the cells as Python (jupyter nbconvert --to script) and submit that.",
    ),
    Reason.SYNTAX: Words("syntax error", ""),
    Reason.MISSING_MODULE: Words(
        "a module is missing", "NumPy and the standard library are available, nothing else."
    ),
    Reason.IMPORT_EXCEPTION: Words(
        "an exception while loading",
        "The file raises an exception before any function is called. Code at top level runs when "
        "the file is loaded.",
    ),
    Reason.IMPORT_EXIT: Words(
        "exits while loading", "Leave out exit() and sys.exit(): the file is loaded, not run."
    ),
    Reason.IMPORT_CRASH: Words(
        "crashes while loading", "The interpreter died before any function was called."
    ),
    Reason.NO_FUNCTION: Words(
        "the function is missing", "The name has to be exactly that of the statement."
    ),
    Reason.SIGNATURE: Words(
        "wrong parameters",
        "The function is called with the statement's arguments, in their order.",
    ),
    Reason.EXCEPTION: Words("an exception", ""),
    Reason.EXIT: Words(
        "exits during the call", "The function has to return; exit() and os._exit() end nothing."
    ),
    Reason.CRASH: Words(
        "the interpreter crashed",
        "The process died during the call: endless recursion or a broken low-level call.",
    ),
    Reason.PROTOCOL: Words(
        "disturbed the judge's channel",
        "The function wrote to a file descriptor that is not its own, or closed one.",
    ),
    Reason.IMPORT_TIME: Words(
        "too long to load", "Code at top level runs when the file is loaded; move it away."
    ),
    Reason.CALL_TIME: Words(
        "too slow", "An endless loop, or Python loops where one array operation would do."
    ),
    Reason.TOTAL_TIME: Words("too slow in all", "All calls together took longer than is allowed."),
    Reason.MEMORY: Words("too much memory", "Look for an array that is larger than it has to be."),
    Reason.OUTPUT: Words("printed too much", "Remove the prints, or print less."),
    Reason.TIME_OUTS: Words("not run", "Too many cases before it timed out."),
    Reason.STOPPED: Words("not run", "Judging stopped before it."),
    Reason.JUDGE: Words(
        "the judge failed", "This is no fault of the submission; it costs no points."
    ),
}

_NO_REASON = {
    Verdict.AC: "accepted",
    Verdict.NOT_RUN: "not run",
}

# np.allclose, https://numpy.org/doc/stable/reference/generated/numpy.allclose.html
_ALLCLOSE_ABSOLUTE = 1e-8
_ALLCLOSE_RELATIVE = 1e-5


def title(case: CaseResult) -> str:
    """Return what kind of outcome a case had, in a few words."""
    if case.reason is not None:
        return WORDS[case.reason].title
    return _NO_REASON.get(case.verdict, case.verdict.meaning)


def advice(case: CaseResult) -> str:
    """Return what to do about a fault, or "" where the case's message says so already."""
    if case.reason is None or (case.reason in _SAID_BY_MESSAGE and case.message != title(case)):
        return ""
    return WORDS[case.reason].advice


_SAID_BY_MESSAGE = frozenset(
    {
        Reason.TYPE,
        Reason.DTYPE,
        Reason.EMPTY,
        Reason.BINARY,
        Reason.ENCODING,
        Reason.SIZE,
        Reason.NOTEBOOK,
        Reason.MISSING_MODULE,
        Reason.IMPORT_EXIT,
        Reason.IMPORT_CRASH,
        Reason.NO_FUNCTION,
        Reason.SIGNATURE,
        Reason.EXIT,
        Reason.CRASH,
    }
)


def kind_of_errors(report: Report) -> str:
    """Tell from the largest error whether wrong values are a matter of precision or of method.

    Returns "" when no case has a wrong value whose size is known.
    """
    found = [case.error for case in report.cases if case.reason is Reason.VALUE and case.error]
    if not found:
        return ""
    wrong = sum(case.reason is Reason.VALUE for case in report.cases)
    worst = max(found, key=_relative_size)
    if wrong == 1:
        return _kind_of_error(worst)
    sizes = sorted(float(error.absolute) for error in found)
    span = brief(sizes[0]) if sizes[0] == sizes[-1] else f"{brief(sizes[0])} to {brief(sizes[-1])}"
    text = f"{wrong} cases have wrong values, off by {span}."
    near = sum(_is_close(error) for error in found)
    if 2 * near >= len(found) > near:
        return (
            f"{text} In {near} of them np.allclose would let the worst error pass: something small "
            "is wrong everywhere, and counts for much in the others."
        )
    return f"{text} {_kind_of_error(worst)}"


def _relative_size(error: ValueDifference) -> float:
    return float(error.absolute) / max(1.0, abs(float(error.expected)))


def _is_close(error: ValueDifference) -> bool:
    """Tell whether np.allclose, with its defaults, would let the worst element pass."""
    limit = _ALLCLOSE_ABSOLUTE + _ALLCLOSE_RELATIVE * abs(float(error.expected))
    return float(error.absolute) <= limit


def _kind_of_error(error: ValueDifference) -> str:
    off, expected = float(error.absolute), abs(float(error.expected))
    if _is_close(error):
        return (
            "Almost right: np.allclose would let such an error pass, the tolerance here does not. "
            "Look for a small constant in another place, a lower precision (float32), or rounding."
        )
    if off <= 0.01 * max(1.0, expected):
        return (
            "Near, but no rounding is this large. Look for a constant, a scale or a single term "
            "that differs."
        )
    return "Far off: this is no rounding; a step of the computation differs."


def describe(case: CaseResult) -> str:
    """Say in one line what is wrong with a case."""
    if case.error is not None and case.reason in (Reason.VALUE, Reason.STATE):
        error = case.error
        expected, actual = numbers(error.expected, error.actual)
        return (
            f"{title(case)}: {place(error.index)} expected {expected.strip()}, "
            f"got {actual.strip()}; {off_by(error)}"
        )
    kind = title(case)
    return f"{kind}: {case.message}" if case.message and case.message != kind else kind


def off_by(error: ValueDifference) -> str:
    """Say how far off the worst element is, and how many others are."""
    parts = []
    if math.isfinite(float(error.absolute)):
        parts.append(f"off by {brief(error.absolute)}")
        if math.isfinite(float(error.error_over_tolerance)):
            parts[0] += f", {brief(error.error_over_tolerance)} times the tolerance"
    if error.elements > 1 and error.mismatched:
        parts.append(f"{share(error.mismatched, error.elements)} off")
    return "; ".join(parts)


def share(mismatched: int, elements: int) -> str:
    """Say how much of an array is off: "88 of 90 elements are"."""
    if mismatched == elements:
        return f"all {elements:,} elements are"
    return f"{mismatched:,} of {elements:,} elements {'is' if mismatched == 1 else 'are'}"


def outer_steps(case: CaseResult, most: int | None = None) -> list[str]:
    """Return the lines through which the innermost one was reached, the nearest first.

    Args:
        case: its traceback has the innermost line last.
        most: how many lines; all when None.
    """
    steps = [f"called in {one_line(step)}" for step in reversed(case.traceback[:-1])]
    return steps[:most]


def provenance(report: Report) -> list[tuple[str, str]]:
    """Return what made a report and what it cost, as names and values."""
    made, spent = report.provenance, report.time
    layers = ", ".join(f"{name} {state}" for name, state in report.isolation.layers.items())
    proved = ", ".join(report.isolation.proved) or "nothing"
    times = {
        "boot": spent.boot_s,
        "import": spent.import_s,
        "CPU": spent.cpu_s,
        "from submission to verdict": spent.wall_s,
    }
    facts = [
        ("time", ", ".join(f"{name} {duration(value)}" for name, value in times.items() if value)),
        ("memory", f"peak {report.peak_memory_bytes / 2**20:.0f} MiB"),
        ("isolation", f"proved: {proved}; {layers or 'no layers'}"),
        (
            "made by",
            f"judge {made.judge}, Python {made.python}, NumPy {made.numpy}, {made.machine}",
        ),
        ("bundle", made.bundle),
        ("source", made.source),
    ]
    return facts if made.seed is None else [*facts, ("seed", str(made.seed))]
