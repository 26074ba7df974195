"""`submissions/mistakes.yaml`: known mistakes, each an edit of the bundle's reference.

One list serves four readers: what must be rejected (verify), what a wrong submission looks like
(diagnosis), small inputs that show it (counterexamples), and the pitfalls of the theory text.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from judge import __version__
from judge.cache import cache_folder, read_cached, write_cached
from judge.faults import BundleError, Faults, decode, did_you_mean, read_text
from judge.mistakes.edits import Edit, Span, disjoint, edited, function_spans, locate
from judge.problem import Problem
from judge.yamlfile import read_yaml

MISTAKES_FORMAT = 1
FILE = "submissions/mistakes.yaml"

PRECISION = "precision"
"""The stage of mistakes whose formulas are right and whose digits are too few."""

ADVICE_LEVELS = ("gentle", "clear", "explicit")
Level = Literal["gentle", "clear", "explicit"]


class Mistake(msgspec.Struct, frozen=True, kw_only=True):
    """One known mistake.

    Args:
        id: lower-case words joined by "-"; reports and counterexamples name it.
        title: the mistake in a few words.
        stage: part of the computation that it is in; `precision` for too few digits.
        edits: what turns the reference into the mistake; their spans are disjoint.
        advice: three lines, gentle, clear, explicit.
        same_as: id of another mistake that computes the same function.
        common: whether people make it often; pairs of common mistakes are tried first.
        below_tolerance: why the problem accepts it on purpose; empty when it must be rejected.
        not_in_samples: what it takes to see it, and no published sample has; empty when one shows
            it.
    """

    id: str
    title: str
    stage: str
    edits: list[Edit]
    advice: list[str]
    same_as: str | None = None
    common: bool = False
    below_tolerance: str = ""
    not_in_samples: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.id):
            raise ValueError(f"{self.id!r}: an id has lower-case letters, digits and single -")
        if not self.edits:
            raise ValueError("edits is empty")
        if len(self.advice) != len(ADVICE_LEVELS):
            raise ValueError(
                f"advice has {len(self.advice)} lines, expected {len(ADVICE_LEVELS)}: "
                f"{', '.join(ADVICE_LEVELS)}"
            )

    def advise(self, level: Level) -> str:
        """Return the line of advice of the explicitness asked for."""
        return self.advice[ADVICE_LEVELS.index(level)]


class TagProof(msgspec.Struct, frozen=True):
    """What the data of the cases with a tag must show, so that a tag can't say what is not so.

    Args:
        zero: parameters that are all zeros in exactly its cases.
        shown_by: a mistake whose results are wrong in all its cases and right in all others.
        off_by: what counts as wrong for `shown_by`: |actual - expected| above this.
        non_finite: what counts as wrong for `shown_by`: a NaN or infinity. A submission that gives
            such results in cases with this tag only is then taken to have made this mistake.
    """

    zero: list[str] = []
    shown_by: str = ""
    off_by: float = 0.0
    non_finite: bool = False

    def __post_init__(self) -> None:
        if not self.zero and not self.shown_by:
            raise ValueError("give zero (parameters) or shown_by (a mistake)")
        if (self.off_by or self.non_finite) and not self.shown_by:
            raise ValueError("off_by and non_finite go with shown_by")


class MistakesFile(msgspec.Struct, frozen=True):
    """The whole file: its format, the mistakes in order, and what tags must show."""

    format: int
    mistakes: list[Mistake]
    tags: dict[str, TagProof] = {}


class _Kept(msgspec.Struct, frozen=True):
    """What was read and located, as the cache folder keeps it."""

    known: tuple[Mistake, ...]
    tags: dict[str, TagProof]
    spans: dict[str, tuple[Span, ...]]


@dataclass(frozen=True)
class Mistakes:
    """The mistakes of a bundle, located in its reference.

    Args:
        reference: text of the unedited reference.
        known: every mistake, in the file's order.
        tags: what the cases with a tag must show.
        spans: where each mistake's edits are, by id.
    """

    reference: str
    known: tuple[Mistake, ...]
    tags: dict[str, TagProof] = field(default_factory=dict)
    spans: dict[str, tuple[Span, ...]] = field(default_factory=dict)

    @staticmethod
    def load(problem: Problem) -> Mistakes:
        """Read a bundle's mistakes and locate their edits; a bundle without the file has none.

        Raises:
            BundleError: with every fault of the file, each with its key path.
        """
        reference_file = f"reference/{problem.function_file}"
        reference_faults = Faults(reference_file)
        reference = read_text(problem.folder / reference_file, reference_faults)
        reference_faults.raise_if_any()
        assert reference is not None  # noqa: S101 (read_text gives None only with faults)
        path = problem.folder / FILE
        if not path.is_file():
            return Mistakes(reference, ())
        kept = _kept_at(path, reference)
        known = _read_kept(kept, reference) if kept else None
        if known is not None:
            return known
        faults = Faults(FILE)
        value = read_yaml(path, faults)
        faults.raise_if_any()
        known = parse(value, reference, faults)
        if kept:
            write_cached(kept, msgspec.msgpack.encode(_Kept(known.known, known.tags, known.spans)))
        return known

    def __getitem__(self, mistake_id: str) -> Mistake:
        """Return the mistake of an id; raises KeyError."""
        return self._by_id[mistake_id]

    @functools.cached_property
    def _by_id(self) -> dict[str, Mistake]:
        return {mistake.id: mistake for mistake in self.known}

    def source(self, *ids: str) -> str:
        """Return the reference with one mistake, or several whose spans are disjoint.

        Raises:
            ValueError: two of them edit the same place.
        """
        spans = sorted(span for mistake_id in ids for span in self.spans[mistake_id])
        if not disjoint(spans):
            raise ValueError(f"{' and '.join(ids)} edit the same place")
        return edited(self.reference, spans)

    def pieces(self, *ids: str) -> list[str]:
        """Return `source` cut at the reference's top-level functions.

        Run in order, the pieces are the source. Variants of one reference share most of them, which
        then need to be compiled only once.
        """
        spans = sorted(span for mistake_id in ids for span in self.spans[mistake_id])
        found = []
        for start, end in self._cuts:
            inside = [span for span in spans if start <= span[0] and span[1] <= end]
            own = [(a - start, b - start, text) for a, b, text in inside]
            spans = [span for span in spans if span not in inside]
            found.append(edited(self.reference[start:end], own))
        # An edit across the border of two functions is in no piece.
        return found if not spans else [self.source(*ids)]

    @functools.cached_property
    def _cuts(self) -> list[tuple[int, int]]:
        edges = [edge for span in function_spans(self.reference).values() for edge in span]
        cuts = itertools.pairwise([0, *edges, len(self.reference)])
        return [(start, end) for start, end in cuts if self.reference[start:end].strip()]

    def compatible(self, first: str, second: str) -> bool:
        """Tell whether two mistakes can be made together: their spans are disjoint."""
        return disjoint(sorted((*self.spans[first], *self.spans[second])))

    def canonical(self, mistake_id: str) -> str:
        """Return the id that stands for all mistakes that compute the same function."""
        seen = {mistake_id}
        while (same := self[mistake_id].same_as) and same not in seen:
            seen.add(same)
            mistake_id = same
        return mistake_id


def _kept_at(path: Path, reference: str) -> Path | None:
    """Return where the file is kept as it was read: reading YAML takes longer than many a run."""
    try:
        parts = (__version__.encode(), path.read_bytes(), reference.encode())
    except OSError:
        return None
    digest = hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts))
    return cache_folder() / "mistakes" / f"{digest.hexdigest()}.msgpack"


def _read_kept(path: Path, reference: str) -> Mistakes | None:
    data = read_cached(path)
    try:
        kept = msgspec.msgpack.decode(data, type=_Kept) if data else None
    except (msgspec.DecodeError, ValueError):
        return None
    return None if kept is None else Mistakes(reference, kept.known, kept.tags, kept.spans)


def parse(value: object, reference: str, faults: Faults) -> Mistakes:
    """Turn the file's plain values into located mistakes.

    Args:
        value: what YAML gave.
        reference: text of the reference that the edits are of.
        faults: names the file; every fault found is recorded before raising.

    Raises:
        BundleError: with all of them.
    """
    document = decode(value, MistakesFile, faults)
    if not isinstance(document, MistakesFile):
        raise BundleError(faults.found)
    if document.format != MISTAKES_FORMAT:
        faults.scope("format").add(
            f"expected {MISTAKES_FORMAT}, got {document.format}: this judge knows no other"
        )
    _check_ids(document, faults)
    functions = function_spans(reference)
    spans: dict[str, tuple[Span, ...]] = {}
    for index, mistake in enumerate(document.mistakes):
        place = faults.scope("mistakes").scope(index).scope("edits")
        located = [
            locate(reference, edit, functions, place.scope(number))
            for number, edit in enumerate(mistake.edits)
        ]
        found = sorted(span for span in located if span is not None)
        if not disjoint(found):
            place.add(f"{mistake.id}: two edits change the same place")
        spans[mistake.id] = tuple(found)
    faults.raise_if_any()
    return Mistakes(reference, tuple(document.mistakes), document.tags, spans)


def _check_ids(document: MistakesFile, faults: Faults) -> None:
    ids = [mistake.id for mistake in document.mistakes]
    for index, mistake in enumerate(document.mistakes):
        place = faults.scope("mistakes").scope(index)
        if mistake.id in ids[:index]:
            place.scope("id").add(f'"{mistake.id}" stands there twice')
        if mistake.same_as is not None and mistake.same_as not in ids:
            place.scope("same_as").add(
                f'no mistake has the id "{mistake.same_as}"{did_you_mean(mistake.same_as, ids)}'
            )
        if mistake.same_as == mistake.id:
            place.scope("same_as").add("a mistake is the same as itself anyway")
    for name, proof in document.tags.items():
        if proof.shown_by and proof.shown_by not in ids:
            faults.scope("tags").scope(name).scope("shown_by").add(
                f'no mistake has the id "{proof.shown_by}"{did_you_mean(proof.shown_by, ids)}'
            )
