"""`judge verify`: every check with something that breaks it, and the message it must give."""

from __future__ import annotations

import dataclasses
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from judge.authoring import verify as verification
from judge.authoring.verify import gather
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.kills import as_document
from judge.authoring.verify.ladder import as_markdown, ladder, write_document
from judge.authoring.verify.page import levels, to_page
from judge.authoring.verify.registry import CHECKS
from judge.authoring.verify.table import to_text
from judge.cli import _run
from judge.mistakes import TagProof
from judge.problem import Problem
from judge.testcases import TestCase
from judge.verdicts import Verdict
from tests.conftest import ROOT

ACCEPTED_FILES = gather.accepted_files


@pytest.fixture(scope="module")
def measured(problem, tmp_path_factory) -> Iterator[Evidence]:
    """What was measured of this repository, with two accepted submissions to save time."""
    few = ["reference/encoder_block.py", "submissions/accepted/list_of_heads.py"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(gather, "accepted_files", lambda p: [p.folder / name for name in few])
        evidence = gather.load_parts(problem, Findings())
        assert evidence is not None
        yield gather.run_all(evidence)


def run_check(name: str, evidence: Evidence) -> list[str]:
    findings = Findings()
    (check,) = [check for check in CHECKS if check.name == name]
    check.run(evidence, findings.under(name))
    return [str(finding) for finding in findings.found]


# --- breaking one thing -------------------------------------------------------------------------


def problem_with(problem: Problem, folder: Path | None = None, **changes: Any) -> Problem:
    changed = msgspec.structs.replace(problem, **changes)
    changed.__dict__["folder"] = folder or problem.folder
    return changed


def with_problem(**changes: Any) -> Callable[[Evidence, Path], Evidence]:
    return lambda e, _: dataclasses.replace(e, problem=problem_with(e.problem, **changes))


def in_copy(edit: Callable[[Path], object]) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, bundle: Path) -> Evidence:
        edit(bundle)
        return dataclasses.replace(evidence, problem=problem_with(evidence.problem, bundle))

    return change


def replaced(file: str, old: str, new: str) -> Callable[[Evidence, Path], Evidence]:
    def edit(bundle: Path) -> None:
        text = (bundle / file).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (bundle / file).write_text(text.replace(old, new), encoding="utf-8")

    return in_copy(edit)


def with_limit(seconds: float) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        limits = msgspec.structs.replace(evidence.problem.limits, time_limit=seconds)
        slow = dataclasses.replace(evidence.accepted[0], name="slow.py", slowest=0.5)
        return dataclasses.replace(
            evidence, problem=problem_with(evidence.problem, limits=limits), accepted=[slow]
        )

    return change


def with_case(name: str, **changes: Any) -> Callable[[Evidence, Path], Evidence]:
    """Change a case as the judge reads it."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        cases = [
            msgspec.structs.replace(case, **{k: v(case) for k, v in changes.items()})
            if case.name == name
            else case
            for case in evidence.cases
        ]
        return dataclasses.replace(evidence, cases=cases)

    return change


def with_entry(name: str, **changes: Any) -> Callable[[Evidence, Path], Evidence]:
    """Change a case's line in the manifest."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        entries = [
            msgspec.structs.replace(entry, **changes) if entry.name == name else entry
            for entry in evidence.manifest.cases
        ]
        manifest = msgspec.structs.replace(evidence.manifest, cases=entries)
        return dataclasses.replace(evidence, manifest=manifest)

    return change


def with_mistake(mistake_id: str, **changes: Any) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        known = tuple(
            msgspec.structs.replace(mistake, **changes) if mistake.id == mistake_id else mistake
            for mistake in evidence.known
        )
        return dataclasses.replace(
            evidence, mistakes=dataclasses.replace(evidence.mistakes, known=known)
        )

    return change


def with_results(
    mistake_id: str, compute: Callable[[TestCase, np.ndarray], np.ndarray]
) -> Callable[[Evidence, Path], Evidence]:
    """Let a mistake give other results: computed from a case and what it gave."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        row = evidence.row(mistake_id)
        results = [result.copy() for result in evidence.results]
        for case, result in zip(evidence.cases, results, strict=True):
            result[row] = compute(case, result[row])
        return dataclasses.replace(evidence, results=results)

    return change


def blind(name: str) -> Callable[[Evidence, Path], Evidence]:
    """Let a case reject nothing."""

    def change(evidence: Evidence, _: Path) -> Evidence:
        results = [
            np.repeat(case.expected[None], len(result), axis=0) if case.name == name else result
            for case, result in zip(evidence.cases, evidence.results, strict=True)
        ]
        return dataclasses.replace(evidence, results=results)

    return change


def with_accepted(**changes: Any) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        first = dataclasses.replace(evidence.accepted[0], **changes)
        return dataclasses.replace(evidence, accepted=[first])

    return change


def both(*changes: Callable[[Evidence, Path], Evidence]) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, bundle: Path) -> Evidence:
        for one in changes:
            evidence = one(evidence, bundle)
        return evidence

    return change


def without(tag: str) -> Callable[[TestCase], tuple[str, ...]]:
    return lambda case: tuple(t for t in case.tags if t != tag)


def plus(tag: str) -> Callable[[TestCase], tuple[str, ...]]:
    return lambda case: (*case.tags, tag)


def off_by(error: float) -> Callable[[TestCase, np.ndarray], np.ndarray]:
    return lambda case, _: case.expected + error * (1 + np.abs(case.expected))


def hint(text: str) -> Callable[[Evidence, Path], Evidence]:
    return with_problem(hints=[text])


def constraint(text: str, holds: str) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        one = type(evidence.problem.constraints[0])(text, holds)
        return dataclasses.replace(
            evidence, problem=problem_with(evidence.problem, constraints=[one])
        )

    return change


def credited(authors: str) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        credit = msgspec.structs.replace(evidence.problem.credits, authors=authors)
        return dataclasses.replace(evidence, problem=problem_with(evidence.problem, credits=credit))

    return change


def proved_by(**proof: Any) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        tags = {"large-hidden": TagProof(**proof)}
        return dataclasses.replace(
            evidence, mistakes=dataclasses.replace(evidence.mistakes, tags=tags)
        )

    return change


def told_apart(mistake: str, names: list[str]) -> Callable[[Evidence, Path], Evidence]:
    def change(evidence: Evidence, _: Path) -> Evidence:
        assert evidence.named is not None
        named = dataclasses.replace(evidence.named, shared={mistake: names})
        return dataclasses.replace(evidence, named=named)

    return change


def add_file(name: str) -> Callable[[Evidence, Path], Evidence]:
    return in_copy(lambda bundle: (bundle / name).write_text("x = 1\n", encoding="utf-8"))


def rename_in_starter(bundle: Path) -> None:
    path = bundle / "starter" / "encoder_block.py"
    path.write_text(path.read_text(encoding="utf-8").replace("num_heads", "heads"), "utf-8")


def old_statement(bundle: Path) -> None:
    shutil.copy(ROOT / "theory.md", bundle)
    (bundle / "statement.md").write_text("old\n", encoding="utf-8")


def rename_counterexample(bundle: Path) -> None:
    path = bundle / "testcases" / "counterexamples.json"
    text = path.read_text(encoding="utf-8")
    assert text.count('"no-relu"') == 1
    path.write_text(text.replace('"no-relu"', '"no-reloo"'), encoding="utf-8")


MISTAKES = "submissions/mistakes.yaml"
SIGNATURE = "x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads"

BROKEN: list[tuple[str, Callable[[Evidence, Path], Evidence], list[str]]] = [
    (
        "licence",
        with_problem(license="free"),
        [
            "error: problem.yaml: license: 'free' tells nobody what they may do; write one of cc "
            "by, cc by-sa, cc0, educational, permission, public domain"
        ],
    ),
    (
        "licence",
        with_problem(rights_owner=""),
        ["error: problem.yaml: rights_owner: missing: a licence has an owner"],
    ),
    (
        "uuid",
        with_problem(uuid="encoder"),
        ["error: problem.yaml: uuid: 'encoder' is no UUID; make one with: python -m uuid -u uuid4"],
    ),
    (
        "uuid",
        with_problem(uuid="00000000-0000-0000-0000-000000000000"),
        ["error: problem.yaml: uuid: all zeros: make one with python -m uuid -u uuid4"],
    ),
    ("credits", credited(" "), ["error: problem.yaml: credits.authors: names nobody"]),
    (
        "credits",
        with_problem(source=[]),
        ["error: problem.yaml: source: names no source; cite the paper or book"],
    ),
    (
        "starter",
        in_copy(rename_in_starter),
        [
            f"error: starter/encoder_block.py: encoder_block({SIGNATURE[:-9]}heads) differs from "
            f"problem.yaml's ({SIGNATURE})"
        ],
    ),
    (
        "starter",
        in_copy(lambda bundle: (bundle / "starter/encoder_block.py").write_text("x = (\n")),
        ["error: starter/encoder_block.py: no Python source: '(' was never closed (line 1)"],
    ),
    (
        "starter",
        in_copy(lambda bundle: (bundle / "starter/encoder_block.py").unlink()),
        ["error: starter/encoder_block.py: can't be read: No such file or directory"],
    ),
    (
        "constraints",
        constraint("At most 8 sequences.", "batch <= 9"),
        [
            "error: problem.yaml: constraints[0]: the expression has 9, the words don't: "
            "'At most 8 sequences.'"
        ],
    ),
    (
        "names-in-texts",
        hint("Scale by gamma3, then add beta1."),
        [
            'error: problem.yaml: hints[0]: "gamma3" is neither in the signature nor in the '
            'reference (did you mean "gamma"?)'
        ],
    ),
    (
        "up-to-date",
        in_copy(lambda b: (b / "testcases/secret/cube.ans.json").write_bytes(b"{}")),
        [
            "error: testcases: secret/cube.ans.json: the file was edited or cut short since it was "
            "made; make them again: judge generate"
        ],
    ),
    (
        "up-to-date",
        replaced("generator/cases.yaml", "format: 1\n", "format: 2\n"),
        ["error: generator/cases.yaml: format: expected 1, got 2"],
    ),
    (
        "admitted",
        with_entry("secret/one-head", bound=1e-10),
        [
            "error: secret/one-head: its error bound is 1.0e-10, over the tolerance of 2.0e-12: a "
            "right program may fail here"
        ],
    ),
    (
        "different-inputs",
        both(
            with_entry("secret/one-head", input_sha256="00"),
            with_entry("secret/one-token", input_sha256="00"),
        ),
        ["error: secret/one-head: has the same inputs as secret/one-token; leave one out"],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: case.expected * 1e-13),
        ["error: secret/one-head: its answer is below the tolerance: zeros would pass"],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: case.expected * 0 + 3),
        [
            "error: secret/one-head: its answer is the same number everywhere, whatever the "
            'inputs; where that is what the case shows, give it the tag "constant"'
        ],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: np.sign(case.expected)),
        [
            "error: secret/one-head: its answer is one number with either sign, whatever the "
            'inputs; where that is what the case shows, give it the tag "saturated"'
        ],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: case.expected[:0]),
        ["error: secret/one-head: its answer has no elements: anything of that shape passes"],
    ),
    (
        "answers",
        with_case("secret/one-head", tags=plus("constant")),
        ['error: secret/one-head: it has the tag "constant", but its answer is not that'],
    ),
    (
        "tags",
        with_case("secret/large-hidden-units", tags=without("large-hidden")),
        [
            'error: secret/large-hidden-units: lacks the tag "large-hidden", though the mistake '
            '"relu6" is wrong'
        ],
    ),
    (
        "tags",
        with_case("secret/one-head", tags=plus("near-eps")),
        [
            'error: secret/one-head: has the tag "near-eps", but it is not so that the mistake '
            '"eps-1e-8" is wrong by more than 0.05'
        ],
    ),
    (
        "tags",
        with_case("secret/one-head", tags=plus("large-logits")),
        [
            'error: secret/one-head: has the tag "large-logits", but it is not so that the mistake '
            '"softmax-unshifted" gives NaN or infinity'
        ],
    ),
    (
        "tags",
        with_case("secret/attention-off", tags=without("attention-off")),
        ['error: secret/attention-off: lacks the tag "attention-off", though W_o are all zeros'],
    ),
    (
        "explained-tags",
        with_case("secret/one-head", tags=plus("lonely")),
        ["error: tag lonely: it is carried by cases, but explained nowhere"],
    ),
    (
        "explained-tags",
        with_case("secret/signed-scales", tags=without("signed-gamma")),
        ["warning: tag signed-gamma: no case carries it"],
    ),
    (
        "worth-its-place",
        both(
            with_case("secret/tiny-feed-forward", tags=without("faint")),
            blind("secret/tiny-feed-forward"),
        ),
        [
            "warning: secret/tiny-feed-forward: catches nothing that secret/heads-of-width-one "
            "does not catch, and has no tag and no smallest size that it lacks; leave it out, or "
            "give it the tag that says what it shows"
        ],
    ),
    (
        "mistakes-run",
        with_results("no-relu", lambda case, _: case.expected * np.nan),
        [
            f"error: {MISTAKES}: no-relu: gives nothing but NaN on 38 of 38 cases: it raises, or "
            "is no Python; run it by hand with its edits made"
        ],
    ),
    (
        "mistake-survives",
        with_results("no-relu", lambda case, _: case.expected),
        [
            f"error: {MISTAKES}: no-relu: no case rejects it (error over tolerance 0); add a case "
            "that shows it"
        ],
    ),
    (
        "margin",
        with_results("no-relu", off_by(1e-9)),
        [
            f"error: {MISTAKES}: no-relu: its best case rejects it by 500 tolerances, demanded are "
            "1000"
        ],
    ),
    (
        "margin",
        with_results("rounded-8", off_by(2e-11)),
        [
            f"error: {MISTAKES}: rounded-8: its best case rejects it by 10 tolerances, demanded "
            "are 20"
        ],
    ),
    (
        "margin",
        with_results("rounded-12", off_by(1e-9)),
        [
            f"error: {MISTAKES}: rounded-12: below_tolerance says that it passes on purpose, but "
            "500 tolerances off is enough to reject it; remove the key"
        ],
    ),
    (
        "samples-see",
        with_mistake("relu6", not_in_samples=""),
        [
            f"error: {MISTAKES}: relu6: the samples accept it and the core rejects it: learners "
            "will pass every sample; say under not_in_samples what it takes to see it"
        ],
    ),
    (
        "samples-see",
        with_mistake("no-relu", not_in_samples="Needs luck."),
        [f"error: {MISTAKES}: no-relu: not_in_samples says that no sample shows it, but one does"],
    ),
    (
        "core-sees",
        with_case("secret/large-hidden-units", tags=without("core")),
        [
            f"error: {MISTAKES}: relu6: some case rejects it and no core case does: the diagnosis "
            'can\'t name it; give such a case the tag "core"'
        ],
    ),
    (
        "core-sees",
        lambda e, _: dataclasses.replace(
            e, cases=[msgspec.structs.replace(c, tags=without("core")(c)) for c in e.cases]
        ),
        ['warning: testcases: no case has the tag "core": the diagnosis compares a few small ones'],
    ),
    (
        "same-outputs",
        with_mistake("scaled-twice", same_as=None),
        [
            f"error: {MISTAKES}: scaled-twice: gives the same results as scale-d-k on every case; "
            "if it is the same function, say same_as: scale-d-k; if not, add a case that tells "
            "them apart"
        ],
    ),
    (
        "same-outputs",
        with_mistake("no-relu", same_as="no-scale"),
        [f"error: {MISTAKES}: no-relu: same_as joins it with no-scale, but their results differ"],
    ),
    (
        "told-apart",
        told_apart("no-relu", ["no-relu", "tanh"]),
        [
            f"warning: {MISTAKES}: no-relu: of a submission that makes it the diagnosis names "
            "no-relu, tanh; a core case that tells them apart would help"
        ],
    ),
    (
        "advice",
        with_mistake("rounded-8", advice=["Look.", "It is rounded.", "Don't."]),
        [
            f"error: {MISTAKES}: rounded-8: advice: it is off by less than 1e-05 on every core "
            "case, and no line says that np.allclose would accept it and why it is wrong all the "
            "same"
        ],
    ),
    (
        "expectations",
        add_file("submissions/hostile/new_attack.py"),
        [
            "error: submissions/hostile/new_attack.py: submissions/expected.yaml does not say what "
            "must come of it"
        ],
    ),
    (
        "expectations",
        in_copy(lambda bundle: (bundle / "submissions/compile_error/empty.py").unlink()),
        [
            "error: submissions/expected.yaml: compile_error/empty.py: matches no submission that "
            "is left for it"
        ],
    ),
    (
        "accepted-margin",
        with_accepted(errors={"secret/three-heads": 0.02}, name="near.py"),
        [
            "error: near.py: on secret/three-heads its error is 1/50 of the tolerance, allowed is "
            "1/100"
        ],
    ),
    (
        "accepted-margin",
        with_accepted(verdict=Verdict.WA, why="secret/cube: off", name="wrong.py"),
        ["error: wrong.py: must be accepted, and gets WA: secret/cube: off"],
    ),
    (
        "accepted-margin",
        lambda e, _: dataclasses.replace(e, accepted=[]),
        ["error: submissions/accepted: there is no submission that must be accepted"],
    ),
    (
        "time-limit",
        with_limit(2.0),
        [
            "warning: problem.yaml: limits.time_limit: 2 s is 4.0 times the slowest call of "
            "slow.py here (0.500 s), demanded is 10 times; machines differ, so measure again when "
            "nothing else runs"
        ],
    ),
    (
        "time-limit",
        with_limit(11.0),
        ["error: problem.yaml: limits.time_limit: 11 s is over 10 s: nobody waits so long"],
    ),
    (
        "texts",
        in_copy(old_statement),
        ["error: statement.md: the text is older than the data; render it again: judge statement"],
    ),
    (
        "counterexamples",
        in_copy(rename_counterexample),
        [
            f"error: {MISTAKES}: no-relu: has no counterexample; make it: judge generate",
            'error: testcases/counterexamples.json: "no-reloo" is no known mistake',
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "change", "messages"),
    BROKEN,
    ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(BROKEN)],
)
def test_a_check_finds_what_is_broken_and_says_so(measured, bundle, name, change, messages):
    before = run_check(name, measured)
    after = run_check(name, change(measured, bundle))
    found = [finding for finding in after if finding not in before]
    assert found == [f"{message} [{name}]" for message in messages]


def test_every_check_has_something_that_breaks_it():
    assert {name for name, _, _ in BROKEN} == {check.name for check in CHECKS}


def test_every_check_says_what_it_guards():
    assert all(check.guards.endswith(".") for check in CHECKS)


@pytest.mark.parametrize("check", [c.name for c in CHECKS if c.name not in ("up-to-date", "texts")])
def test_this_repository_passes_every_check(measured, check):
    found = run_check(check, measured)
    assert [line for line in found if line.startswith("error")] == []


# --- bundles that can't even be read ------------------------------------------------------------


def broken(bundle: Path) -> list[str]:
    found = verification.verify(Problem.load(bundle), static=True)
    assert found.evidence is None
    assert (
        to_text(found).splitlines()[-1].endswith("nothing more can be checked before they are gone")
    )
    return [str(finding) for finding in found.findings.found]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_an_edit_that_matches_not_once_is_told(bundle):
    edit(bundle / MISTAKES, 'softmax, replace: "np.exp(logits"', 'softmax, replace: "logits"')
    (found,) = broken(bundle)
    assert found.startswith(f"error: {MISTAKES}: mistakes[")
    assert found.endswith(
        "replace: 'logits' stands 4 times in function softmax, expected exactly once [readable]"
    )


def test_inputs_outside_the_constraints_are_told(bundle):
    edit(bundle / "problem.yaml", "sequence <= 64", "sequence <= 47")
    assert broken(bundle) == [
        "error: testcases/secret/long-sequence.in.json: breaks the constraint 'batch <= 8 and "
        "sequence <= 47 and d_model <= 64 and d_ff <= 256': batch = 1, d_ff = 16, d_model = 8, "
        "sequence = 48 [readable]"
    ]


def test_a_signature_that_disagrees_with_the_data_is_told(bundle):
    edit(bundle / "problem.yaml", 'type: "float64[d_ff]"', 'type: "float64[d_model]"')
    assert all("b1: expected shape" in finding for finding in broken(bundle))


def test_all_broken_parts_are_told_in_one_run(bundle):
    (bundle / "testcases" / "secret" / "cube.ans.json").unlink()
    (bundle / MISTAKES).write_text("format: 1\n", encoding="utf-8")
    found = broken(bundle)
    assert len(found) == 2
    assert "cube.ans.json: the file is missing" in found[0]
    assert "mistakes: this key is missing" in found[1]


# --- what is written --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcome(measured) -> verification.Verification:
    return verification.Verification(measured, Findings(), ladder(measured))


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


# --- the command --------------------------------------------------------------------------------


def test_judge_verify_writes_page_and_kills_and_says_what_it_found(
    bundle, tmp_path, monkeypatch, capsys
):
    few = ["reference/encoder_block.py", "submissions/accepted/list_of_heads.py"]
    monkeypatch.setattr(gather, "accepted_files", lambda p: [p.folder / name for name in few])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (bundle / "submissions" / "wrong_answer" / "new.txt").write_text("", encoding="utf-8")
    (bundle / "problem.yaml").write_text(
        (ROOT / "problem.yaml").read_text(encoding="utf-8").replace("license: cc by", "license: x"),
        encoding="utf-8",
    )
    output = tmp_path / "out"
    code = _run(["verify", "--problem", str(bundle), "--output", str(output)])
    said = capsys.readouterr()
    assert code == 1
    assert "[licence]" in said.out
    assert f"wrote {output / 'index.html'} and kills.json" in said.err
    assert json.loads((output / "kills.json").read_text())["format"] == 1
    assert (output / "index.html").read_bytes().startswith(b"<!DOCTYPE html>")


def test_another_bundle_is_verified_by_the_same_checks(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(gather, "accepted_files", ACCEPTED_FILES)
    tiny = ROOT / "tests" / "bundles" / "tiny"
    assert _run(["verify", "--problem", str(tiny), "--output", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("2 known mistakes on 5 cases; ")
    assert "error: generator/families.py: the file is missing [up-to-date]" in said
    assert "error: secret/no-rows: its answer is below the tolerance: zeros would pass" in said
    document = json.loads((tmp_path / "kills.json").read_text())
    assert [m["id"] for m in document["mistakes"]] == ["signs-kept", "mean-instead-of-sum"]


def test_judge_verify_check_runs_and_writes_nothing(bundle, monkeypatch, capsys):
    monkeypatch.setattr(gather, "run_all", None)
    before = {path: path.stat().st_mtime_ns for path in bundle.rglob("*")}
    _run(["verify", "--problem", str(bundle), "--check"])
    assert f"{sum(not check.needs_runs for check in CHECKS)} checks: " in capsys.readouterr().out
    after = {p: p.stat().st_mtime_ns for p in bundle.rglob("*") if "__pycache__" not in p.parts}
    assert {p: t for p, t in after.items() if p.is_file()} == {
        p: t for p, t in before.items() if p.is_file()
    }


@pytest.mark.parametrize("options", [["--output", "x"], ["--format", "json"]])
def test_check_takes_no_output(options):
    assert _run(["verify", "--check", *options]) == 2
