"""Counterexamples: small, admitted, proved, and each shows its mistake."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from judge.authoring.arithmetic import bound, prove
from judge.authoring.counterexamples import (
    Workshop,
    compiled,
    error_of,
    make_counterexamples,
    quietly,
)
from judge.authoring.modules import load_function
from judge.cli import _run
from judge.counterexamples import (
    COUNTEREXAMPLES,
    Counterexample,
    encode_counterexamples,
    get_counterexample,
    load_counterexamples,
    secret_answers,
)
from judge.faults import BundleError
from judge.mistakes import PRECISION, Mistakes
from judge.problem import Problem
from judge.report import PUBLIC_GROUPS
from judge.testcases import TestCase, load_cases


@pytest.fixture(scope="module")
def examples(problem) -> dict[str, Counterexample]:
    return load_counterexamples(problem)


@pytest.fixture(scope="module")
def mistakes(problem) -> Mistakes:
    return Mistakes.load(problem)


def test_every_rejected_mistake_has_one(examples, mistakes):
    rejected = [m.id for m in mistakes.known if m.id != "rounded-12"]
    assert list(examples) == rejected


def test_none_has_the_answer_of_a_secret_case(problem, examples):
    secret = secret_answers(problem, PUBLIC_GROUPS)
    assert secret
    given_away = [n for n, example in examples.items() if example.expected.tobytes() in secret]
    assert given_away == []


def test_none_is_a_secret_case_by_its_inputs(problem, examples):
    def key(values: Iterable[Any]) -> tuple[bytes, ...]:
        return tuple(np.asarray(value).tobytes() for value in values)

    cases = load_cases(problem)
    secret = {key(case.inputs) for case in cases if case.group not in PUBLIC_GROUPS}
    assert [n for n, each in examples.items() if key(each.inputs.values()) in secret] == []


def test_where_only_secret_cases_show_a_mistake_another_case_is_drawn(problem, mistakes):
    # Rounding is told by single digits: nothing can be taken from the case that shows it.
    (case,) = load_cases(problem, ["secret/one-of-everything"])
    example = Workshop.of(problem).example(mistakes, "rounded-2", [case])
    assert example is not None
    assert example.expected.tobytes() != case.expected.tobytes()
    wrong = compiled(mistakes.source("rounded-2"), problem.function.name)
    given = list(example.inputs.values())
    assert error_of(wrong, given, example.expected) > problem.tolerance.absolute


def test_shrinking_passes_by_a_secret_case(problem, mistakes, examples):
    # The counterexample itself is made a secret case: the next best is another one.
    (case,) = load_cases(problem, ["secret/three-heads"])
    taken = examples["no-relu"]
    inputs = tuple(taken.inputs.values())
    secret = TestCase.of(case.name, case.group, case.tags, inputs, taken.expected)
    example = Workshop.of(problem).example(mistakes, "no-relu", [secret, case])
    assert example is not None
    assert not np.array_equal(example.expected, taken.expected)


def test_each_shows_its_mistake_and_the_reference_is_right(problem, examples, mistakes):
    reference = compiled(mistakes.reference, problem.function.name)
    tolerance = problem.tolerance
    for name, example in examples.items():
        given = list(example.inputs.values())
        allowed = tolerance.absolute + tolerance.relative * np.abs(example.expected)
        right = quietly(reference, given)
        assert right is not None
        assert np.all(np.abs(right - example.expected) <= allowed / 100), name
        wrong = quietly(compiled(mistakes.source(name), problem.function.name), given)
        assert wrong is not None
        assert not np.all(np.abs(wrong - example.expected) <= allowed), name


def test_a_structural_mistake_is_plain_to_see_in_printed_numbers(problem, examples, mistakes):
    for name, example in examples.items():
        if mistakes[name].stage == PRECISION:
            continue
        wrong = quietly(
            compiled(mistakes.source(name), problem.function.name), list(example.inputs.values())
        )
        assert wrong is not None
        # A tolerance that rounds to one decimal more than most people print.
        assert not np.allclose(wrong, example.expected, rtol=0, atol=1e-3), name


def test_they_are_small(examples):
    sizes = sorted(example.expected.size for example in examples.values())
    assert sizes[len(sizes) // 2] <= 4
    assert sizes[-1] <= 30


def test_every_answer_is_proved_and_every_case_admitted(problem, examples):
    exact = load_function(problem, "reference/exact.py")
    for name, example in list(examples.items())[::12]:
        given = list(example.inputs.values())
        assert prove(exact, given).values.tobytes() == example.expected.tobytes(), name
        assert bound(exact, given) <= problem.tolerance.absolute, name


def test_they_are_made_the_same_again(bundle, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = bundle / "submissions" / "mistakes.yaml"
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("  - id: pre-norm\n")
    tail = rest.partition("  - id: norm-before-residual\n")[0]
    lines = [line for line in head.splitlines() if "shown_by" not in line]
    path.write_text("\n".join(lines) + "\n  - id: pre-norm\n" + tail, encoding="utf-8")
    problem = Problem.load(bundle)
    data = make_counterexamples(problem, load_cases(problem), jobs=1)
    made = data.decode().splitlines()[1:-1]
    kept = (bundle / "testcases" / COUNTEREXAMPLES).read_text(encoding="utf-8").splitlines()
    assert len(made) == 3
    assert [line.rstrip(",") for line in made] == [line.rstrip(",") for line in kept[1:4]]
    assert make_counterexamples(problem, [], jobs=1) != data
    assert make_counterexamples(problem, load_cases(problem), jobs=1) == data


def test_what_is_written_is_read_back_to_the_last_bit(problem, examples, bundle):
    few = list(examples.values())[:5]
    data = encode_counterexamples(problem, few, "00")
    (bundle / "testcases" / COUNTEREXAMPLES).write_bytes(data)
    for one, other in zip(few, load_counterexamples(Problem.load(bundle)).values(), strict=True):
        assert one.mistake == other.mistake
        assert one.expected.tobytes() == other.expected.tobytes()
        assert encode_counterexamples(problem, [one], "0") == encode_counterexamples(
            problem, [other], "0"
        )


BROKEN = [
    (b"", "can't be read"),
    (b"{}", "can't be read"),
    (b'{"format": 2, "made_by": "", "counterexamples": []}', "format 2: this judge reads format 1"),
    (
        b'{"format": 1, "made_by": "", "counterexamples": [{"mistake": "a", '
        b'"input": {"x": [[1.0]]}, "expected": [[[0.0]]]}]}',
        "a.x: expected float64[batch, sequence, d_model]",
    ),
    (
        b'{"format": 1, "made_by": "", "counterexamples": [{"mistake": "a", "input": {}, '
        b'"expected": [[[0.0]]]}]}',
        "a.W_q: this parameter is missing",
    ),
]


@pytest.mark.parametrize(("data", "message"), BROKEN)
def test_a_broken_file_is_told(bundle, data, message):
    (bundle / "testcases" / COUNTEREXAMPLES).write_bytes(data)
    with pytest.raises(BundleError) as caught:
        load_counterexamples(Problem.load(bundle))
    assert message in str(caught.value)


def test_a_missing_file_says_how_to_make_it(bundle):
    (bundle / "testcases" / COUNTEREXAMPLES).unlink()
    with pytest.raises(BundleError, match="make it with: judge generate"):
        load_counterexamples(Problem.load(bundle))


def test_an_unknown_mistake_has_none(problem):
    with pytest.raises(KeyError, match="did you mean"):
        get_counterexample(problem, "pre-norms")


def test_judge_show_prints_one_that_runs(problem, mistakes, tmp_path, capsys):
    assert _run(["show", "--counterexample", "no-relu"]) == 0
    snippet = capsys.readouterr().out
    path = tmp_path / "snippet.py"
    path.write_text(snippet, encoding="utf-8")
    assert "encoder_block" in snippet
    assert "num_heads" in snippet
