"""docs/performance.md and its plots, from what was measured."""

from __future__ import annotations

import io
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.bounds import Bounds
from benchmarks.contestants import BARE, CONTESTANTS, ROOT
from benchmarks.measure import Batch, Sample, Warm
from judge.authoring.sections import replace_section

DOCUMENT = ROOT / "docs" / "performance.md"
FIGURE = ROOT / "docs" / "performance-cases.svg"
MANY_FIGURE = ROOT / "docs" / "performance-submissions.svg"


@dataclass
class Measured:
    """Everything of one run; what was not measured stays empty."""

    rounds: int
    floor: dict[str, Sample] = field(default_factory=dict)
    cold: dict[int, dict[str, Sample]] = field(default_factory=dict)
    warm: Warm | None = None
    many: dict[int, dict[str, Sample]] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)
    bounds: Bounds | None = None
    peers: dict[str, float] = field(default_factory=dict)


def write(measured: Measured) -> None:
    """Write the sections of docs/performance.md that were measured, and the plot."""
    text = DOCUMENT.read_text(encoding="utf-8")
    sections = {
        "machine": _machine(measured),
        "goals": _goals(measured, text),
        "floor": _floor(measured),
        "warm": _warm(measured),
        "cold": _cold(measured),
        "many": _many(measured),
        "batch": _batches(measured),
        "peers": _peers(measured),
    }
    for name, content in sections.items():
        if content:
            text = replace_section(text, name, content)
    DOCUMENT.write_text(text, encoding="utf-8")
    if len(measured.cold) > 1:
        FIGURE.write_text(_cases_plot(measured.cold), encoding="utf-8")
    if len(measured.many) > 1:
        MANY_FIGURE.write_text(_submissions_plot(measured.many), encoding="utf-8")


def spread(values: Sequence[float], form: str = ".2f") -> str:
    """Return "median (least to most)"."""
    least, middle, most = min(values), statistics.median(values), max(values)
    return f"{middle:{form}} ({least:{form}} to {most:{form}})"


def goals(measured: Measured) -> list[tuple[str, str, str, bool]]:
    """Return each goal that was measured: what, the goal, the figure, and whether it holds."""
    found = []
    if 0 in measured.cold:
        ratios = measured.cold[0]["judge run"].ratios
        said = f"{spread(ratios)} times the bare script"
        holds = statistics.median(ratios) <= 1.3
        found.append(("cold verdict on this bundle", "at most 1.3 times", said, holds))
    if measured.warm is not None:
        verdict, each = measured.warm.verdict, measured.warm.each_case
        holds = statistics.median(verdict) <= 15
        found.append(
            ("warm verdict, 30 small cases", "≤ 15 ms", f"{spread(verdict, '.1f')} ms", holds)
        )
        holds = statistics.median(each) <= 1.2
        found.append(("each further small case", "≤ 1.2 ms", f"{spread(each)} ms", holds))
    if measured.batches:
        best = max(measured.batches, key=lambda batch: batch.count)
        said = f"{best.rate:.0f} a second over {best.count:,}"
        found.append(("batch, accepted submissions", "≥ 60 a second", said, best.rate >= 60))
    by_count = {batch.count: batch for batch in measured.batches}
    if {100, 10_000} <= by_count.keys():
        ratio = by_count[10_000].peak_bytes / by_count[100].peak_bytes
        said = f"{ratio:.2f} times"
        found.append(("memory, 10,000 against 100", "≤ 1.15 times", said, ratio <= 1.15))
    return found


def _machine(measured: Measured) -> str:
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.system()} "
        f"{platform.release().split('-')[0]}, {platform.machine()}, {cores} cores; "
        f"{measured.rounds} rounds; load average at the end {load:.1f}."
    )


def _goals(measured: Measured, text: str) -> str:
    """Return the table with what this run measured, and what an earlier one did of the others."""
    begin, end = "<!-- goals:begin -->", "<!-- goals:end -->"
    old = text[text.index(begin) : text.index(end)].splitlines()[3:]
    rows = {line.split("|")[1].strip(): line for line in old}
    rows |= {
        what: f"| {what} | {goal} | {said} | {'yes' if holds else 'no'} |"
        for what, goal, said, holds in goals(measured)
    }
    return "\n".join(
        ["| what | goal | measured | holds |", "| --- | --- | --- | --- |", *rows.values()]
    )


def _floor(measured: Measured) -> str:
    return _samples(measured.floor)


def _warm(measured: Measured) -> str:
    if measured.warm is None:
        return ""
    found = measured.warm.steps
    whole = sum(found.ms.values())
    lines = ["| step of a warm verdict on 30 small cases | ms | share |", "| --- | --- | --- |"]
    lines += [f"| {name} | {ms:.2f} | {ms / whole:.0%} |" for name, ms in found.ms.items()]
    pages = found.faults * found.fault_us / 1e3
    without = spread(measured.warm.without_layers, ".1f")
    lines += [
        "",
        f"Without any layer the same verdict takes {without} ms. A worker touches {found.faults:,} "
        "pages that it has to get for itself; copying one takes "
        f"{found.fault_us:.1f} µs on this machine, {pages:.1f} ms in all.",
    ]
    return "\n".join(lines)


def _samples(samples: dict[str, Sample]) -> str:
    if not samples:
        return ""
    lines = ["| | seconds | times the bare script |", "| --- | --- | --- |"]
    lines += [
        f"| {name} | {spread(sample.seconds, '.3f')} | {spread(sample.ratios)} |"
        for name, sample in samples.items()
    ]
    return "\n".join(lines)


def _cold(measured: Measured) -> str:
    if not measured.cold:
        return ""
    counts = list(measured.cold)
    heads = [f"{count:,} cases" if count else "this bundle" for count in counts]
    lines = [
        f"| | {' | '.join(heads)} | keeps it from the answers |",
        "| --- " * (len(counts) + 2) + "|",
    ]
    for contestant in CONTESTANTS:
        cells = []
        for count in counts:
            sample = measured.cold[count].get(contestant.name)
            cells.append(f"{sample.median:.2f} s, {spread(sample.ratios)}" if sample else "not run")
        lines.append(f"| {contestant.name} | {' | '.join(cells)} | {contestant.protects} |")
    return "\n".join(lines)


def _many(measured: Measured) -> str:
    return "\n\n".join(
        f"{count:,} submission{'s' if count > 1 else ''} on 30 small cases:\n\n{_samples(samples)}"
        for count, samples in measured.many.items()
    )


def _batches(measured: Measured) -> str:
    if not measured.batches:
        return ""
    lines = [
        "| submissions | seconds | a second | memory of the main process |",
        "| --- " * 4 + "|",
    ]
    lines += [
        f"| {b.count:,} | {b.seconds:.1f} | {b.rate:.0f} | {b.peak_bytes / 2**20:.0f} MiB |"
        for b in measured.batches
    ]
    if measured.bounds is not None:
        own, gain, rate = measured.bounds.own_ms, measured.bounds.gain, measured.bounds.rate
        lines += [
            "",
            f"What bounds it here: loading and calling these submissions takes {own:.1f} ms each "
            "on average, in one process without any judging; and the cores of this machine "
            f"together do {gain:.2f} times what one does. So a judge that cost nothing would judge "
            f"{rate:.0f} a second.",
        ]
    return "\n".join(lines)


def _peers(measured: Measured) -> str:
    if not measured.peers:
        return ""
    lines = ["| tool | seconds | times the bare script |", "| --- | --- | --- |"]
    bare = measured.peers[BARE]
    lines += [f"| {name} | {t:.2f} | {t / bare:.1f} |" for name, t in measured.peers.items()]
    return "\n".join(lines)


def _cases_plot(cold: dict[int, dict[str, Sample]]) -> str:
    known = {count: samples for count, samples in cold.items() if count}
    return _plot(known, [c.name for c in CONTESTANTS], "test cases", "seconds, cold")


def _submissions_plot(many: dict[int, dict[str, Sample]]) -> str:
    names = [*(c.name for c in CONTESTANTS), "judge batch"]
    return _plot(many, names, "submissions, 30 small cases each", "seconds")


def _plot(found: dict[int, dict[str, Sample]], names: Sequence[str], x: str, y: str) -> str:
    """Return an SVG of median seconds by count, both axes logarithmic, a line a name."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "performance"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    for name, marker in zip(names, "osD^vP", strict=False):
        known = [count for count in found if name in found[count]]
        middles = [found[count][name].median for count in known]
        axes.plot(known, middles, marker=marker, label=name)
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(frameon=False)
    figure.tight_layout()
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return buffer.getvalue()
