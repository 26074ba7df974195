"""`problem.yaml`: every fault in one run, each with its key path and what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import constraints
from judge.faults import BundleError, Faults
from judge.problem import Problem, bundle_digest
from judge.signature import bind, describe_shape, parse_type

GOOD = """\
bundle_format: 1
name: Row Sums
uuid: 0b0f0f5e-58a5-4d6f-9d8e-6a4f0c1f7a11
version: "1.0.0"
credits: {authors: The Authors}
source: [{name: Somewhere}]
license: cc by
function:
  name: row_sums
  parameters:
    - {name: table, type: "float64[rows, columns]"}
    - {name: keep, type: "bool[rows]"}
    - {name: times, type: int}
  returns: "float64[rows]"
tolerance: {absolute: 1.0e-12, relative: 1.0e-12}
limits: {time_limit: 1, memory: 256, output: 1, code: 64}
groups: [{name: sample}, {name: secret, weight: 2}]
seed: 1
constraints: [{text: few rows, holds: rows <= 4 and times >= 1}]
"""


def load(tmp_path: Path, text: str) -> Problem:
    (tmp_path / "problem.yaml").write_text(text, encoding="utf-8")
    return Problem.load(tmp_path)


def faults_of(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(BundleError) as caught:
        load(tmp_path, text)
    return [str(fault) for fault in caught.value.faults]


def test_a_good_file_is_read(tmp_path):
    problem = load(tmp_path, GOOD)
    assert problem.slug == "row-sums"
    assert problem.function_file == "row_sums.py"
    assert problem.weights == {"sample": 1, "secret": 2}
    assert problem.function.parameters[0].kind.dims == ("rows", "columns")
    assert problem.folder == tmp_path


BROKEN = {
    "an unknown key": (
        ("seed: 1", "seed: 1\nkeyword: [a]"),
        [
            'keyword: unknown key (did you mean "keywords"?)',
        ],
    ),
    "unknown and missing keys at any depth, all at once": (
        ("{time_limit: 1, memory: 256, output: 1, code: 64}", "{timelimit: 1, memory: 256}"),
        [
            'limits.timelimit: unknown key (did you mean "time_limit"?)',
            "limits.time_limit: this key is missing",
            "limits.output: this key is missing",
            "limits.code: this key is missing",
        ],
    ),
    "wrong types": (
        ("seed: 1", "seed: one\nhints: read\nkeywords: [1, b]"),
        [
            "seed: expected a whole number, got 'one'",
            "keywords[0]: expected text, got 1",
            "hints: expected a list, got 'read'",
        ],
    ),
    "a limit of nothing": (("memory: 256", "memory: 0"), ["limits: memory must be more than 0"]),
    "a tolerance that accepts everything": (
        ("absolute: 1.0e-12", "absolute: 1"),
        ["tolerance: absolute and relative must be at least 0 and less than 1"],
    ),
    "a type that is none": (
        ("float64[rows, columns]", "float32[rows, columns]"),
        [
            "function.parameters[0]: 'float32[rows, columns]' is no type: write float64[…], "
            "int64[…] or bool[…] with dimension names, or int, float, bool or str"
        ],
    ),
    "a result of an unknown size": (
        ('returns: "float64[rows]"', 'returns: "float64[row]"'),
        ['function.returns: "row" is no dimension of any parameter (did you mean "rows"?)'],
    ),
    "a constraint over an unknown name": (
        ("rows <= 4", "row <= 4"),
        [
            'constraints[0].holds: "row" is neither a dimension nor an int parameter '
            '(did you mean "rows"?)'
        ],
    ),
    "a constraint that calls": (
        ("holds: rows <= 4 and times >= 1", "holds: len(rows) <= 4"),
        ["constraints[0].holds: 'len(rows)' is not allowed in a constraint"],
    ),
    "names that stand there twice": (
        ("groups: [{name: sample}", "groups: [{name: secret}"),
        ['groups: "secret" stands there twice'],
    ),
    "a version that this judge does not know": (
        ("bundle_format: 1", "bundle_format: 2"),
        ["bundle_format: expected 1, got 2: this judge knows no other"],
    ),
    "text that is no YAML": (
        ("groups: [", "groups: [["),
        ["not valid YAML, line 18, column 1: did not find expected ',' or ']'"],
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_every_fault_is_named(tmp_path, what):
    edit, expected = BROKEN[what]
    text = GOOD.replace(*edit)
    assert text != GOOD
    found = [fault.removeprefix("problem.yaml: ") for fault in faults_of(tmp_path, text)]
    assert found == expected


def test_the_nearest_bundle_upwards_is_found(tmp_path):
    load(tmp_path, GOOD)
    inner = tmp_path / "submissions" / "accepted"
    inner.mkdir(parents=True)
    # A package of another format on the way is passed over.
    (inner / "problem.yaml").write_text("problem_format_version: 2025-09\nname: Other\n")
    assert Problem.find(inner).name == "Row Sums"


def test_no_bundle_upwards_says_what_to_do(tmp_path):
    with pytest.raises(BundleError, match="name the bundle's folder with --problem"):
        Problem.find(tmp_path)


def test_inputs_are_checked_against_signature_and_constraints(tmp_path):
    problem = load(tmp_path, GOOD)
    faults = Faults("case")
    table = np.zeros((2, 3))
    sizes = problem.check_inputs({"table": table, "keep": table[:, 0] > 0, "times": 2}, faults)
    assert sizes == {"rows": 2, "columns": 3, "times": 2}
    assert faults.found == []
    problem.check_inputs({"table": table, "keep": np.zeros(3, bool), "times": True}, faults)
    problem.check_inputs({"table": table[0], "keep": [True], "tims": 1}, faults)
    problem.check_inputs({"table": np.zeros((5, 1)), "keep": np.zeros(5, bool), "times": 0}, faults)
    table = table.copy()
    table[1, 2] = np.inf
    problem.check_inputs({"table": table, "keep": table[:, 0] > 0, "times": 1}, faults)
    assert [str(fault) for fault in faults.found] == [
        "case: keep: expected shape (2,) = (rows,), got (3,)",
        "case: times: expected int, got bool True",
        'case: tims: no such parameter (did you mean "times"?)',
        "case: table: expected 2 axes (rows, columns), got shape (3,)",
        "case: keep: expected an array of bool, got list",
        "case: times: this parameter is missing",
        "case: breaks the constraint 'rows <= 4 and times >= 1': rows = 5, times = 0",
        "case: table: expected finite numbers, got inf at [1, 2]",
    ]


def test_the_digest_follows_problem_and_manifest(tmp_path):
    load(tmp_path, GOOD)
    first = bundle_digest(tmp_path)
    (tmp_path / "testcases").mkdir()
    (tmp_path / "testcases" / "manifest.json").write_text("{}")
    second = bundle_digest(tmp_path)
    load(tmp_path, GOOD + "\n")
    assert len({first, second, bundle_digest(tmp_path)}) == 3


@pytest.mark.parametrize(
    ("text", "dtype", "dims"),
    [
        ("float64[batch, sequence, d_model]", "float64", ("batch", "sequence", "d_model")),
        ("int64[3, n]", "int64", ("3", "n")),
        ("bool[ n ]", "bool", ("n",)),
        ("float64[]", "float64", ()),
        ("int", "int", None),
    ],
)
def test_types_are_read(text, dtype, dims):
    kind = parse_type(text)
    assert (kind.dtype, kind.dims) == (dtype, dims)


@pytest.mark.parametrize("text", ["float64", "float[2]", "float64[a b]", "float64[a,]", "list", ""])
def test_what_is_no_type_is_refused(text):
    with pytest.raises(ValueError, match="is no"):
        parse_type(text)


def test_shapes_are_described_with_their_names():
    kind = parse_type("float64[batch, sequence, d_model]")
    assert describe_shape(kind, (2, 4, 8)) == "(2, 4, 8) = (batch, sequence, d_model)"
    assert describe_shape(parse_type("float64[]"), ()) == "()"


def test_a_size_in_a_type_is_demanded():
    assert bind(parse_type("int64[3]"), np.zeros(2, np.int64), {}) == (
        "expected shape (3,) = (3,), got (2,)"
    )


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 9))
def test_constraints_mean_what_python_means(a, b, c):
    for expression in (
        "a + b <= c * 2",
        "a % c == 0 or b // c > 1",
        "-3 < a - b < c and c != 4",
        "a != 0 and c % a == 0",
    ):
        assert constraints.holds(expression, {"a": a, "b": b, "c": c}) == bool(
            eval(expression, {"a": a, "b": b, "c": c})
        )


def test_division_by_zero_does_not_hold():
    assert not constraints.holds("a % b == 0", {"a": 4, "b": 0})


@pytest.mark.parametrize(
    "expression", ["a.b", "a[0]", "f(a)", "a if b else c", "lambda: 1", "a in b", "1.5 < a", "a <"]
)
def test_a_constraint_is_no_program(expression):
    with pytest.raises(ValueError, match=r"not allowed|no expression|compare here"):
        constraints.names(expression)
