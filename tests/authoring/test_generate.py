"""`judge generate`: the same bytes everywhere, nothing stale, nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from judge.authoring.generate.folder import stale
from judge.authoring.generate.run import generate, load_plan, prove_again
from judge.cli import _run
from judge.faults import BundleError
from judge.problem import Problem
from judge.testcases import load_cases, load_manifest
from tests.conftest import ROOT


def quiet(done: int, total: int, name: str) -> None:
    assert done <= total


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*.json")
        if path.name != "counterexamples.json"
    }


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def shared_cache(cache, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def judge(*arguments: str) -> int:
    return _run(list(arguments))


def test_what_is_committed_is_what_is_generated_under_another_blas_kernel(tmp_path):
    environment = {**os.environ, "OPENBLAS_CORETYPE": "Nehalem", "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "judge", "generate", "--output", str(tmp_path / "made")]
    subprocess.run(command, check=True, env=environment, cwd=ROOT, capture_output=True)
    assert content(tmp_path / "made") == content(ROOT / "testcases")


def test_the_order_of_cases_changes_no_case(bundle, tmp_path):
    path = bundle / "generator" / "cases.yaml"
    head, _, cases = path.read_text(encoding="utf-8").partition("cases:\n")
    entries = ["  - name:" + entry for entry in cases.split("  - name:")[1:]][:8]
    keep = {"secret/three-heads", "secret/near-eps-rows", "sample/two-heads"}
    few = [entry for entry in entries if entry.split()[2] in keep]
    assert len(few) == len(keep)
    path.write_text(head + "cases:\n" + "".join(reversed(few)), encoding="utf-8")
    generate(Problem.load(bundle), tmp_path / "made", 20170612, quiet, jobs=1)
    made = content(tmp_path / "made")
    for name in keep:
        for ending in ("in", "ans"):
            file = f"{name}.{ending}.json"
            assert made[file] == (ROOT / "testcases" / file).read_bytes()


def test_the_committed_cases_are_up_to_date(problem):
    assert stale(problem, load_plan(problem)) == []


EDITS = {
    "exact reference": ("reference/exact.py", "\n# another comment\n"),
    "generator": ("generator/families.py", "\n# another comment\n"),
    "signature": ("problem.yaml", ("float64[d_model, d_ff]", "float64[d_model,d_ff]")),
    "constraints and tolerance": ("problem.yaml", ("relative: 2.0e-12", "relative: 1.0e-12")),
    "seed": ("problem.yaml", ("seed: 20170612", "seed: 1")),
    "secret/one-token": (
        "generator/cases.yaml",
        ("shows: a sequence of one position", "shows: one position"),
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_whatever_decides_the_content_is_named_when_it_moves(bundle, what):
    file, edit = EDITS[what]
    path = bundle / file
    text = path.read_text(encoding="utf-8")
    changed = text + edit if isinstance(edit, str) else text.replace(*edit)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    problem = Problem.load(bundle)
    found = stale(problem, load_plan(problem))
    assert [line.split(":")[0] for line in found] == [what]


def test_edited_missing_and_foreign_files_are_named_at_once(bundle, capsys):
    folder = bundle / "testcases"
    answer = folder / "secret" / "one-token.ans.json"
    answer.write_bytes(answer.read_bytes()[:-20])
    (folder / "sample" / "two-heads.in.json").unlink()
    (folder / "secret" / "extra.in.json").write_text("{}")
    assert judge("generate", "--check", "--problem", str(bundle)) == 1
    printed = capsys.readouterr().out
    assert "secret/one-token.ans.json: the file was edited or cut short" in printed
    assert "sample/two-heads.in.json: the file is missing" in printed
    assert "secret/extra.in.json: this file belongs to no case" in printed
    with pytest.raises(BundleError) as caught:
        load_cases(Problem.load(bundle))
    assert [fault.where for fault in caught.value.faults] == [
        "testcases/sample/two-heads.in.json",
        "testcases/secret/one-token.ans.json",
    ]


def test_generating_mends_what_was_broken(bundle, capsys):
    folder = bundle / "testcases"
    (folder / "sample" / "two-heads.in.json").unlink()
    (folder / "secret" / "extra.in.json").write_text("{}")
    assert judge("generate", "--problem", str(bundle)) == 0
    printed = capsys.readouterr().out
    assert "wrote sample/two-heads.in.json" in printed
    assert "removed secret/extra.in.json" in printed
    assert content(folder) == content(ROOT / "testcases")
    assert judge("generate", "--problem", str(bundle)) == 0
    assert "no byte changed" in capsys.readouterr().out


def test_a_case_that_no_attempt_admits_is_named_and_nothing_is_written(bundle, capsys):
    path = bundle / "generator" / "cases.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text
        + "  - name: secret/hopeless\n    shows: weights far too heavy\n    family: generic\n"
        + "    shape: {batch: 2, sequence: 4, d_model: 12, num_heads: 3, d_ff: 12}\n"
        + "    with: {spread: 9}\n"
        + "  - name: secret/odd-option\n    shows: a slip\n    family: generic\n"
        + "    shape: {batch: 1, sequence: 1, d_model: 1, num_heads: 1, d_ff: 1}\n"
        + "    with: {sprad: 9}\n",
        encoding="utf-8",
    )
    before = content(bundle / "testcases")
    assert judge("generate", "--problem", str(bundle)) == 2
    printed = capsys.readouterr().err
    assert "secret/hopeless: none of 200 attempts is admitted; the last: the error bound" in printed
    assert "secret/odd-option: with: generic() got an unexpected keyword argument" in printed
    assert content(bundle / "testcases") == before


def test_another_seed_makes_another_admitted_set(bundle, capsys):
    assert judge("generate", "--problem", str(bundle), "--seed", "7") == 0
    other = bundle / "build" / "testcases-7"
    manifest = json.loads((other / "manifest.json").read_bytes())
    assert manifest["seed"] == 7
    assert all(case["bound"] <= 2e-12 for case in manifest["cases"])
    ours, theirs = content(bundle / "testcases"), content(other)
    assert ours.keys() == theirs.keys()
    same = {name for name in ours if ours[name] == theirs[name] and name != "manifest.json"}
    assert {name.split("/")[0] for name in same} == {"sample"}
    drawn = "secret/three-heads.in.json"
    assert ours[drawn] != theirs[drawn]


def test_one_case_shows_how_it_was_found(capsys):
    assert judge("generate", "--case", "secret/overflowing-logits") == 0
    printed = capsys.readouterr().out
    assert "large_logits, attempt 1" in printed
    assert "attempt 0 fell: the largest logit is" in printed
    assert judge("generate", "--case", "secret/overflowing-logit") == 2
    assert 'did you mean "secret/overflowing-logits"?' in capsys.readouterr().err


def test_the_second_opinion_agrees_and_would_find_one_wrong_bit(bundle):
    problem = Problem.load(bundle)
    keep = ["sample/two-heads", "secret/three-heads", "secret/overflowing-logits"]
    manifest = load_manifest(problem)
    few = msgspec.structs.replace(
        manifest, cases=[case for case in manifest.cases if case.name in keep]
    )
    (bundle / "testcases" / "manifest.json").write_bytes(msgspec.json.encode(few))
    assert prove_again(problem, quiet, jobs=1) == []
    path = bundle / "testcases" / "secret" / "three-heads.ans.json"
    answer = json.loads(path.read_bytes())
    first = answer["expected"][0][0][0]
    answer["expected"][0][0][0] = float(np.nextafter(first, 10.0))
    path.write_text(json.dumps(answer))
    assert prove_again(problem, quiet, jobs=1) == ["secret/three-heads: 1 of 54 elements differ"]


def test_options_that_exclude_one_another(capsys):
    assert judge("generate", "--check", "--prove") == 2
    assert "exclude one another" in capsys.readouterr().err


def test_a_broken_cache_entry_counts_as_absent(bundle, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    problem = Problem.load(bundle)
    generate(problem, bundle / "testcases", problem.seed, quiet)
    for path in (tmp_path / "cache").rglob("*.msgpack"):
        path.write_bytes(path.read_bytes()[:-3])
    made = generate(problem, bundle / "testcases", problem.seed, quiet)
    assert (made.from_cache, made.changed) == (0, ())


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "reference/exact.py",
            "def encoder_block(",
            "def encoder_block(*a):\n    return a[1][99]\n\n\ndef other(",
            "reference/exact.py: TypeError in line ",
        ),
        (
            "generator/families.py",
            "    for name in zero:",
            "    for name in [*zero, 'W_z']:",
            "generator/families.py: zeroed: KeyError in line ",
        ),
    ],
)
def test_a_slip_in_the_setters_own_code_is_named_with_its_line(
    bundle, capsys, file, old, new, message
):
    path = bundle / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert judge("generate", "--problem", str(bundle), "--case", "secret/attention-off") == 2
    assert message in capsys.readouterr().err


def test_the_proof_names_a_file_that_is_missing(bundle, capsys):
    (bundle / "testcases" / "secret" / "one-token.ans.json").unlink()
    keep = ["secret/one-token"]
    manifest = load_manifest(Problem.load(bundle))
    few = msgspec.structs.replace(manifest, cases=[c for c in manifest.cases if c.name in keep])
    (bundle / "testcases" / "manifest.json").write_bytes(msgspec.json.encode(few))
    assert judge("generate", "--problem", str(bundle), "--prove") == 1
    assert "one-token.ans.json: No such file or directory" in capsys.readouterr().out
