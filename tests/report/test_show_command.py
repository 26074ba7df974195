"""`judge show`: cases to read and to paste."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from judge.casefiles import decode_answer, encode_answer
from judge.counterexamples import COUNTEREXAMPLES, Counterexample, encode_counterexamples
from judge.faults import Faults
from judge.problem import Problem
from judge.testcases import load_cases
from tests.conftest import ROOT
from tests.report.conftest import REFERENCE

TINY = ROOT / "tests" / "bundles" / "tiny"


def test_without_a_name_every_case_is_listed_with_tags_and_purpose(judge, problem):
    done = judge("show")
    assert done.code == 0
    for case in load_cases(problem):
        assert case.name in done.out
    assert "rows whose variance is about eps" in done.out
    assert "large-logits" in done.out


def test_a_learner_gets_a_list_of_samples_and_the_number_of_the_others(judge):
    done = judge("show", "--audience", "learner")
    assert "sample/two-heads" in done.out
    assert "secret/" not in done.out
    assert "secret cases are not shown" in done.out
    listed = judge("show", "--audience", "learner", "--format", "json").document["cases"]
    assert {case["group"] for case in listed} == {"sample"}


def test_a_case_is_shown_with_inputs_answer_and_snippet(judge):
    done = judge("show", "sample/two-heads")
    assert "x   float64 (1, 2, 4)" in done.out
    assert "num_heads = 2" in done.out
    assert "expected   float64 (1, 2, 4)" in done.out
    assert "actual = encoder_block(" in done.out
    assert "multi-head" in done.out


def test_the_group_may_be_left_out_and_typing_errors_are_met_with_a_name(judge):
    assert judge("show", "two-heads").out == judge("show", "sample/two-heads").out
    done = judge("show", "two-heds")
    assert done.code == 2
    assert 'did you mean "two-heads"?' in done.err


@pytest.mark.parametrize("name", ["two-heads", "secret/sixty-four-features"])
def test_the_snippet_runs_beside_the_learners_file(judge, tmp_path, name):
    shutil.copy(REFERENCE, tmp_path / "mine.py")
    program = judge("show", name, "--format", "python", "--file", "mine.py").out
    (tmp_path / "try_it.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "try_it.py"], cwd=tmp_path, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.startswith(b"right")


def test_json_holds_the_case_to_the_last_bit(judge, problem):
    document = judge("show", "secret/eight-heads", "--format", "json").document
    case = load_cases(problem, ["secret/eight-heads"])[0]
    answer = json.dumps({"format": 1, "expected": document["expected"]}).encode()
    again = decode_answer(answer, problem.function.result, Faults("x"))
    assert again is not None
    assert again.tobytes() == case.expected.tobytes()
    assert list(document["input"]) == [parameter.name for parameter in problem.function.parameters]


def test_a_learner_is_refused_a_secret_case(judge):
    for output_format in ("text", "python", "json"):
        done = judge("show", "near-eps-rows", "--audience", "learner", "--format", output_format)
        assert done.code == 2
        assert done.out == ""
        assert "is secret" in done.err
    assert judge("show", "two-heads", "--audience", "learner").code == 0


@pytest.fixture
def with_counterexample(bundle, problem):
    """A bundle with a counterexample for one mistake."""
    case = load_cases(problem, ["sample/two-heads"])[0]
    names = [parameter.name for parameter in problem.function.parameters]
    example = Counterexample(
        "eps-outside-root", dict(zip(names, case.inputs, strict=True)), case.expected
    )
    path = bundle / "testcases" / "counterexamples.json"
    path.write_bytes(encode_counterexamples(problem, [example], "made by a test"))
    return bundle


@pytest.mark.parametrize("audience", ["author", "learner"])
def test_a_counterexample_is_shown_to_everybody(judge, with_counterexample, audience):
    done = judge(
        "show",
        "--counterexample",
        "eps-outside-root",
        "--problem",
        with_counterexample,
        "--audience",
        audience,
    )
    assert done.code == 0
    assert "eps-outside-root" in done.out
    assert "expected = np.array(" in done.out


def test_an_unknown_counterexample_is_met_with_the_nearest(judge, with_counterexample):
    done = judge("show", "--counterexample", "eps-outside-rot", "--problem", with_counterexample)
    assert done.code == 2
    assert 'did you mean "eps-outside-root"?' in done.err


@pytest.mark.parametrize(
    "arguments", [["two-heads", "--counterexample", "x"], ["--format", "python"]]
)
def test_what_can_not_be_meant_is_refused(judge, arguments):
    assert judge("show", *arguments).code == 2


def test_the_cases_of_another_bundle_are_shown_too(judge):
    done = judge("show", "--problem", TINY)
    name = done.out.split()[0]
    shown = judge("show", name, "--problem", TINY)
    assert shown.code == 0
    assert "expected   float64 ()" in shown.out or "expected" in shown.out


def test_answers_are_written_exactly():
    value = np.array([0.1, 1 / 3, 5e-324])
    text = encode_answer(value).decode()
    assert json.loads(text)["expected"] == value.tolist()


def test_a_counterexample_that_is_a_secret_case_is_not_for_learners(bundle, judge):
    # The generator makes none; a bundle may have got one in another way.
    problem = Problem.load(bundle)
    (secret,) = load_cases(problem, ["secret/one-of-everything"])
    names = [parameter.name for parameter in problem.function.parameters]
    example = Counterexample(
        "no-relu", dict(zip(names, secret.inputs, strict=True)), secret.expected
    )
    data = encode_counterexamples(problem, [example], "")
    (bundle / "testcases" / COUNTEREXAMPLES).write_bytes(data)
    asked = ("show", "--counterexample", "no-relu", "--problem", bundle)
    assert judge(*asked).code == 0
    refused = judge(*asked, "--audience", "learner")
    assert refused.code == 2
    assert "is also a secret case" in refused.err
