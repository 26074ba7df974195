"""What `judge verify` measures and writes: margins, the ladder, the table, the page."""

from __future__ import annotations

import itertools
import json

import msgspec
import numpy as np
import pytest

from judge.authoring.verify.kills import as_document
from judge.authoring.verify.ladder import as_markdown, write_document
from judge.authoring.verify.page import levels, to_page
from judge.authoring.verify.table import to_text


def test_the_margins_of_this_bundle(measured):
    best = dict(zip((m.id for m in measured.known), measured.best, strict=True))
    assert best["rounded-11"] == pytest.approx(2.5, rel=0.05)
    assert best["rounded-12"] == pytest.approx(0.25, rel=0.05)
    rejected = {m.id: m.stage for m in measured.known if not m.below_tolerance}
    assert min(best[i] for i, stage in rejected.items() if stage != "precision") > 1e9
    assert min(best[i] for i, stage in rejected.items() if stage == "precision") > 20


def test_the_diagnosis_names_every_mistake_alone_and_most_pairs(measured):
    named = measured.named
    assert named is not None
    assert named.shared == {}
    assert named.unique == named.mistakes == len(measured.known) - 1
    assert named.unique_pairs + named.like_one <= named.pairs == 300
    assert named.unique_pairs >= 0.95 * named.pairs


def test_the_ladder_lets_less_through_at_every_rung(measured, outcome):
    survivors = [set(rung.survivors) for rung in outcome.rungs]
    assert all(after <= before for before, after in itertools.pairwise(survivors))
    assert [rung.tolerance for rung in outcome.rungs] == [float(f"1e-{k}") for k in range(2, 14)]
    assert "float32-throughout" in survivors[4]
    assert "float32-throughout" not in survivors[6]
    assert outcome.rungs[-1].survivors == []
    assert all(rung.double_fall == [] for rung in outcome.rungs)
    assert outcome.rungs[0].single_fall == []
    assert len(outcome.rungs[6].single_fall) == len(measured.single)


def test_kills_json_has_every_margin(measured, outcome):
    document = json.loads(msgspec.json.encode(as_document(outcome)))
    assert document["cases"] == [case.name for case in measured.cases]
    assert len(document["mistakes"]) == len(measured.known)
    row = next(m for m in document["mistakes"] if m["id"] == "relu6")
    assert row["rejected_by"] == ["secret/large-hidden-units"] == [row["best_case"]]
    assert len(row["margins"]) == len(measured.cases)
    nan = next(m for m in document["mistakes"] if m["id"] == "softmax-unshifted")
    assert nan["best"] == "inf"
    assert document["accepted"][0]["verdict"] == "AC"
    assert len(document["ladder"]) == 12


def test_colours_follow_the_margins():
    margins = np.array([0.0, 1.0, 1.1, 25.0, 5e3, 5e7, 5e10, np.inf])
    assert levels(margins).tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_the_page_stands_alone_and_shows_every_mistake_and_case(measured, outcome):
    page = to_page(outcome).decode()
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert all(mistake.id in page for mistake in measured.known)
    assert all(case.name in page for case in measured.cases)
    assert page.count("<rect") == len(measured.known) * len(measured.cases)


def test_the_table_tells_both_margins(measured, outcome):
    text = to_text(outcome, verbose=True)
    assert "smallest margin, structural mistakes" in text
    assert "largest error of a right submission: 1/" in text
    assert "below the tolerance on purpose: rounded-12 (0.25)" in text
    assert all(mistake.id in text for mistake in measured.known)


def test_the_ladder_goes_between_its_markers_and_nowhere_else(measured, outcome, tmp_path):
    table = as_markdown(measured, outcome.rungs)
    assert not write_document(tmp_path, table)
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "numerics.md"
    path.write_text("no markers\n", encoding="utf-8")
    assert not write_document(tmp_path, table)
    path.write_text("a\n<!-- ladder:begin -->\nold\n<!-- ladder:end -->\nb\n", encoding="utf-8")
    assert write_document(tmp_path, table)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("a\n<!-- ladder:begin -->")
    assert text.endswith("<!-- ladder:end -->\nb\n")
    assert "| 1e-12 | 1 |" in text
    assert "old" not in text
    assert not write_document(tmp_path, table)
