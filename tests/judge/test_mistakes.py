"""`submissions/mistakes.yaml`: all faults of the file in one run, and edits that mean one thing."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.faults import BundleError, Faults
from judge.mistakes import FILE, Mistakes, parse
from judge.mistakes.edits import function_spans
from judge.problem import Problem

REFERENCE = """\
SIZE = 2


def half(x):
    return x / SIZE


def block(x):
    y = half(x)
    return y + half(y)
"""

ADVICE = ["Look here.", "It is this.", "Write that."]


def mistake(name: str, *edits: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": "t",
        "stage": "s",
        "edits": list(edits),
        "advice": list(ADVICE),
        **more,
    }


SUM = {"in": "block", "replace": "y + half(y)", "with": "y"}
HALF = {"in": "half", "replace": "x / SIZE", "with": "x"}
SIZE = {"replace": "SIZE = 2", "with": "SIZE = 3"}
GOOD = {"format": 1, "mistakes": [mistake("no-sum", SUM), mistake("no-half", HALF)]}


def load(document: Any) -> Mistakes:
    return parse(copy.deepcopy(document), REFERENCE, Faults(FILE))


def run(source: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["block"](8.0)


def test_an_edit_changes_the_reference_in_one_place():
    known = load(GOOD)
    assert run(known.reference) == 6.0
    assert run(known.source("no-sum")) == 4.0
    assert run(known.source("no-half")) == 16.0


def test_two_mistakes_at_different_places_are_made_together():
    known = load(GOOD)
    assert known.compatible("no-sum", "no-half")
    assert run(known.source("no-sum", "no-half")) == 8.0


def test_two_mistakes_at_one_place_are_not():
    known = load({"format": 1, "mistakes": [mistake("a", SUM), mistake("b", {**SUM, "with": "0"})]})
    assert not known.compatible("a", "b")
    with pytest.raises(ValueError, match="a and b edit the same place"):
        known.source("a", "b")


def test_edits_are_located_in_the_unedited_reference():
    first = {"in": "block", "replace": "half(x)", "with": "half(y)"}
    second = {"in": "block", "replace": "half(y)", "with": "x"}
    known = load({"format": 1, "mistakes": [mistake("a", first), mistake("b", second)]})
    assert "y = half(y)\n    return y + x" in known.source("a", "b")


def changed(*path: Any, to: Any) -> dict[str, Any]:
    document: Any = copy.deepcopy(GOOD)
    place = document
    for key in path[:-1]:
        place = place[key]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return document


FIRST = ("mistakes", 0)
FAULTS = [
    (changed("format", to=2), "format: expected 1, got 2: this judge knows no other"),
    (changed(*FIRST, "titel", to="x"), 'mistakes[0].titel: unknown key (did you mean "title"?)'),
    (changed(*FIRST, "stage", to=None), "mistakes[0].stage: this key is missing"),
    (
        changed(*FIRST, "id", to="No Sum"),
        "mistakes[0]: 'No Sum': an id has lower-case letters, digits and single -",
    ),
    (changed("mistakes", 1, "id", to="no-sum"), 'mistakes[1].id: "no-sum" stands there twice'),
    (changed(*FIRST, "edits", to=[]), "mistakes[0]: edits is empty"),
    (
        changed(*FIRST, "advice", to=["one"]),
        "mistakes[0]: advice has 1 lines, expected 3: gentle, clear, explicit",
    ),
    (
        changed(*FIRST, "same_as", to="no-halve"),
        'mistakes[0].same_as: no mistake has the id "no-halve" (did you mean "no-half"?)',
    ),
    (
        changed(*FIRST, "same_as", to="no-sum"),
        "mistakes[0].same_as: a mistake is the same as itself anyway",
    ),
    (
        changed(*FIRST, "edits", 0, "replace", to="z + y"),
        "mistakes[0].edits[0].replace: 'z + y' stands 0 times in function block, "
        "expected exactly once",
    ),
    (
        changed(*FIRST, "edits", 0, "replace", to="half("),
        "mistakes[0].edits[0].replace: 'half(' stands 2 times in function block, "
        "expected exactly once",
    ),
    (
        changed(*FIRST, "edits", 0, to={"replace": "x", "with": "y"}),
        "mistakes[0].edits[0].replace: 'x' stands 4 times in the reference, expected exactly once",
    ),
    (
        changed(*FIRST, "edits", 0, "in", to="blok"),
        'mistakes[0].edits[0].in: the reference has no function "blok" (did you mean "block"?)',
    ),
    (
        changed(*FIRST, "edits", 0, "with", to="y + half(y)"),
        "mistakes[0].edits[0]: replace and with are the same text",
    ),
    (
        changed(*FIRST, "edits", to=[SUM, {**SUM, "replace": "+ half(y)", "with": ""}]),
        "mistakes[0].edits: no-sum: two edits change the same place",
    ),
    (
        changed("tags", to={"loud": {"shown_by": "no-summ"}}),
        'tags.loud.shown_by: no mistake has the id "no-summ" (did you mean "no-sum"?)',
    ),
    (
        changed("tags", to={"loud": {}}),
        "tags.loud: give zero (parameters) or shown_by (a mistake)",
    ),
    (
        changed("tags", to={"loud": {"zero": ["W"], "non_finite": True}}),
        "tags.loud: off_by and non_finite go with shown_by",
    ),
]


@pytest.mark.parametrize(("document", "message"), FAULTS, ids=[m[:60] for _, m in FAULTS])
def test_a_fault_is_told_with_its_place_and_what_to_do(document, message):
    with pytest.raises(BundleError) as caught:
        load(document)
    assert [str(fault) for fault in caught.value.faults] == [f"{FILE}: {message}"]


def test_all_faults_of_the_file_are_told_in_one_run():
    document = changed(*FIRST, "edits", 0, "replace", to="z + y")
    document["mistakes"][1]["edits"][0]["in"] = "hlf"
    document["mistakes"].append(mistake("no-sum", SIZE))
    with pytest.raises(BundleError) as caught:
        load(document)
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize("text", ["", "- 1\n", "format: 1\n", "mistakes: [\n"])
def test_a_file_that_is_no_list_of_mistakes_is_refused(bundle, text):
    (bundle / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BundleError):
        Mistakes.load(Problem.load(bundle))


def test_what_was_read_once_is_read_the_same_from_the_cache_folder(bundle, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    problem = Problem.load(bundle)
    first = Mistakes.load(problem)
    (kept,) = tmp_path.rglob("*.msgpack")
    assert Mistakes.load(problem) == first
    kept.write_bytes(b"broken")
    assert Mistakes.load(problem) == first
    text = (bundle / FILE).read_text(encoding="utf-8")
    (bundle / FILE).write_text(text.replace("id: pre-norm\n", "id: other\n"), encoding="utf-8")
    assert Mistakes.load(problem).known[0].id == "other"


def test_a_bundle_without_the_file_has_no_mistakes(bundle):
    (bundle / FILE).unlink()
    assert Mistakes.load(Problem.load(bundle)).known == ()


def test_a_missing_reference_is_told(bundle):
    (bundle / "reference" / "encoder_block.py").unlink()
    with pytest.raises(BundleError, match=r"reference/encoder_block\.py: the file is missing"):
        Mistakes.load(Problem.load(bundle))


def test_decorators_belong_to_their_function():
    source = "a = 1\n\n@mark\n@other\ndef f():\n    pass\n\nb = f\n"
    ((start, end),) = function_spans(source).values()
    assert source[start:end] == "@mark\n@other\ndef f():\n    pass\n"


def test_pieces_run_in_order_are_the_source():
    known = load({"format": 1, "mistakes": [*GOOD["mistakes"], mistake("size", SIZE)]})
    for ids in ((), ("no-sum",), ("size",), ("no-sum", "no-half"), ("size", "no-sum")):
        namespace: dict[str, Any] = {}
        for piece in known.pieces(*ids):
            exec(piece, namespace)
        assert namespace["block"](8.0) == run(known.source(*ids))


def test_an_edit_across_two_functions_keeps_the_source_in_one_piece():
    across = {"replace": "SIZE\n\n\ndef block", "with": "4\n\n\ndef block"}
    known = load({"format": 1, "mistakes": [mistake("a", across)]})
    assert known.pieces("a") == [known.source("a")]
    assert run(known.source("a")) == 2.5


@given(st.data())
def test_disjoint_mistakes_give_one_source_in_whatever_order_they_are_named(data):
    known = load({"format": 1, "mistakes": [*GOOD["mistakes"], mistake("size", SIZE)]})
    ids = data.draw(st.permutations([m.id for m in known.known]))
    sources = {known.source(*order) for order in itertools.permutations(ids)}
    assert len(sources) == 1


@pytest.fixture(scope="module")
def known(problem) -> Mistakes:
    return Mistakes.load(problem)


def test_there_are_more_than_eighty_in_every_stage_that_the_texts_know(known):
    stages = {mistake.stage for mistake in known.known}
    assert len(known.known) >= 80
    assert stages == {
        "attention", "softmax", "heads", "residual", "norm", "feed-forward", "parameters",
        "precision",
    }  # fmt: skip


def test_every_mistake_is_valid_python_and_differs_from_every_other(known):
    sources = {known.source(mistake.id) for mistake in known.known}
    for source in sources:
        compile(source, "mistake", "exec")
    assert len(sources | {known.reference}) == len(known.known) + 1


def test_no_advice_is_given_twice_at_one_level_by_mistakes_of_different_functions(known):
    clear: dict[str, str] = {}
    for mistake in known.known:
        other = clear.setdefault(mistake.advice[1], mistake.id)
        assert other == mistake.id or {other, mistake.id} == {"gelu", "gelu-tanh"}
