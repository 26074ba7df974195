"""`cases.yaml`: every fault of the file in one run, with its key path, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.authoring.generate.run import load_plan
from judge.faults import BundleError
from judge.problem import Problem

HEAD = "format: 1\ntags: {core: {text: everything shows}, pair: {text: two, holds: 'batch == 2'}}\n"
GOOD = """
  - name: secret/good
    shows: that all is well
    family: generic
    shape: {batch: 2, sequence: 3, d_model: 4, num_heads: 2, d_ff: 5}
"""


def faults_of(bundle: Path, text: str) -> list[str]:
    (bundle / "generator" / "cases.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BundleError) as caught:
        load_plan(Problem.load(bundle))
    return [str(fault) for fault in caught.value.faults]


CASES = {
    "an unknown key": (
        "  - {name: secret/a, show: x, shows: y, family: generic, shape: {batch: 1, sequence: 1,"
        " d_model: 1, num_heads: 1, d_ff: 1}}",
        ['cases[0].show: unknown key (did you mean "shows"?)'],
    ),
    "a missing key": (
        "  - {name: secret/a, family: generic}",
        ["cases[0].shows: this key is missing"],
    ),
    "an unknown family": (
        "  - {name: secret/a, shows: y, family: genric, shape: {batch: 1, sequence: 1, d_model: 1,"
        " num_heads: 1, d_ff: 1}}",
        [
            'cases[0].family: generator/families.py has no function "genric" '
            '(did you mean "generic"?)'
        ],
    ),
    "a shape against the constraints": (
        "  - {name: secret/a, shows: y, family: generic, shape: {batch: 1, sequence: 1, d_model: 5,"
        " num_heads: 2, d_ff: 1}}",
        [
            "cases[0].shape: breaks the constraint "
            "'num_heads >= 1 and d_model % num_heads == 0': d_model = 5, num_heads = 2"
        ],
    ),
    "a size that is missing and one that is none": (
        "  - {name: secret/a, shows: y, family: generic, shape: {batch: 1, sequense: 1, d_model: 4,"
        " num_heads: 2, d_ff: 1}}",
        [
            'cases[0].shape.sequense: no such size (did you mean "sequence"?)',
            "cases[0].shape: the size of sequence is missing",
        ],
    ),
    "a name twice": (
        GOOD + GOOD,
        ['cases[1].name: "secret/good" is already the name of cases[0]'],
    ),
    "a name with a number, and a group that does not exist": (
        GOOD.replace("secret/good", "secret/good-2") + GOOD.replace("secret/", "sekret/"),
        [
            "cases[0].name: 'secret/good-2': write group/what-it-shows in lower-case words joined "
            "by -, without numbers",
            'cases[1].name: problem.yaml has no group "sekret" (did you mean "secret"?)',
        ],
    ),
    "tags that are unknown, or set by their expression": (
        GOOD + "    tags: [cor, pair]",
        [
            'cases[0].tags: "cor" is not among tags (did you mean "core"?)',
            'cases[0].tags: "pair" is set by its expression; leave it out here',
        ],
    ),
    "neither drawn nor written out": (
        "  - {name: secret/a, shows: y}",
        ["cases[0]: give either input (written out) or family (drawn), and not both"],
    ),
    "inputs of the wrong types and shapes": (
        "  - {name: sample/a, shows: y, input: {x: [[[1, 2], [3]]], W_q: [[1, 0], [0, 1]],"
        " W_k: [[1, 0]], W_v: [[1, .nan], [0, 1]], W_o: [[a]], W1: [[1], [1]], b1: [0],"
        " W2: [[1, 0]], b2: [0, 0], gamma1: [1, 1], beta1: [0, 0], gamma2: [1, 1],"
        " beta_2: [0, 0], num_heads: 1}}",
        [
            "cases[0].input.x: expected float64[batch, sequence, d_model]: "
            "the lists have unequal lengths",
            "cases[0].input.W_o: expected float64[d_model, d_model], got <U1 values",
        ],
    ),
    "inputs that do not fit the signature": (
        "  - {name: sample/a, shows: y, input: {x: [[[1, 2]]], W_q: [[1, 0], [0, 1]],"
        " W_k: [[1, 0]], W_v: [[1, .nan], [0, 1]], W_o: [[1, 0], [0, 1]], W1: [[1], [1]], b1: [0],"
        " W2: [[1, 0]], b2: [0, 0], gamma1: [1, 1], beta1: [0, 0], gamma2: [1, 1],"
        " beta_2: [0, 0], num_heads: 1.5}}",
        [
            'cases[0].input.beta_2: no such parameter (did you mean "beta2"?)',
            "cases[0].input.W_k: expected shape (2, 2) = (d_model, d_model), got (1, 2)",
            "cases[0].input.W_v: expected finite numbers, got nan at [0, 1]",
            "cases[0].input.beta2: this parameter is missing",
            "cases[0].input.num_heads: expected int, got float 1.5",
        ],
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_every_fault_is_named_with_its_place(bundle, what):
    text, expected = CASES[what]
    assert faults_of(bundle, f"{HEAD}cases:\n{text}\n") == [
        f"generator/cases.yaml: {message}" for message in expected
    ]


def test_yaml_that_can_not_be_read_is_named_with_its_line(bundle):
    assert faults_of(bundle, "format: 1\ntags: [\n") == [
        "generator/cases.yaml: not valid YAML, line 3, column 1: did not find expected node content"
    ]


def test_a_key_written_twice_is_no_silent_choice(bundle):
    [fault] = faults_of(bundle, "format: 1\nformat: 2\n")
    assert fault == (
        'generator/cases.yaml: not valid YAML, line 2, column 1: the key "format" is written twice'
    )


def test_a_missing_file_and_an_empty_one(bundle):
    assert faults_of(bundle, "") == ["generator/cases.yaml: the file is empty"]
    (bundle / "generator" / "cases.yaml").unlink()
    with pytest.raises(BundleError, match=r"generator/cases.yaml: the file is missing"):
        load_plan(Problem.load(bundle))


def test_families_that_fail_on_import_are_named(bundle):
    (bundle / "generator" / "families.py").write_text("import no_such_module\n")
    with pytest.raises(BundleError, match=r"generator/families.py: can't be imported: ModuleNotF"):
        load_plan(Problem.load(bundle))
