"""The programs that travel in packages: driver, input validator, output validator."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.authoring.export import kattis
from judge.authoring.export.edges import invalid_inputs, invalid_outputs, valid_outputs
from judge.compare.elementwise import compare
from judge.problem import Problem
from tests.conftest import ROOT

ACCEPTED, REJECTED = 42, 43


def module(text: str) -> types.ModuleType:
    found = types.ModuleType("program")
    exec(compile(text, "program", "exec"), found.__dict__)
    return found


@pytest.fixture(scope="module")
def input_validator(described):
    return module(kattis.input_validator(described))


@pytest.fixture(scope="module")
def output_validator(described):
    return module(kattis.output_validator(described))


def accepts_input(validator, data: bytes) -> bool:
    try:
        validator.check(data)
    except validator.InputError:
        return False
    return True


def reason(validator, output: bytes, answer: bytes) -> str | None:
    try:
        validator.compare(output, answer)
    except validator.OutputError as error:
        return error.reason
    return None


def test_what_travels_is_python_of_years_ago(described):
    """Systems run it with what they have: the PyPy of Debian 12 is Python 3.9."""
    for text in (
        kattis.driver(described),
        kattis.input_validator(described),
        kattis.output_validator(described),
    ):
        ast.parse(text, feature_version=(3, 8))
        assert "strict=" not in text


# ------------------------------------------------------------------------------- inputs


def test_every_input_of_the_bundle_is_valid(described, input_validator):
    for case in described.cases:
        input_validator.check(case.input)


def test_inputs_that_are_wrong_in_one_way_are_invalid(described, input_validator):
    for name, (text, _) in invalid_inputs(described).items():
        assert not accepts_input(input_validator, text.encode()), name


def test_an_input_that_breaks_a_constraint_is_invalid(described, input_validator):
    document = json.loads(described.cases[3].input)
    document["input"]["num_heads"] = 3
    data = json.dumps(document).encode() + b"\n"
    with pytest.raises(input_validator.InputError, match="breaks the constraint"):
        input_validator.check(data)


def test_a_large_array_may_be_written_in_one_way_only(described, input_validator):
    large = next(case.input for case in described.cases if b'"base64"' in case.input)
    document = json.loads(large)
    name = next(k for k, v in document["input"].items() if isinstance(v, dict))
    document["input"][name]["base64"] = document["input"][name]["base64"][:-8]
    assert not accepts_input(input_validator, json.dumps(document).encode() + b"\n")


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_bytes_crash_the_input_validator(input_validator, data):
    assert not accepts_input(input_validator, data)


# ------------------------------------------------------------------------------- outputs


def test_answers_are_right_and_edges_are_judged_as_named(described, output_validator):
    for case in described.cases:
        text = kattis.answer(case).encode()
        assert reason(output_validator, text, text) is None
    answer = kattis.answer(described.public[0]).encode()
    for name, (text, _) in valid_outputs(described).items():
        assert reason(output_validator, text.encode(), answer) is None, name
    for name, (text, _) in invalid_outputs(described).items():
        assert reason(output_validator, text.encode(), answer) is not None, name


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("type list\n", "type"),
        ("array float32 (1,1,2)\n", "dtype"),
        ("array float64 (1,2)\n0\n0\n", "shape"),
        ("array float64 (1,1,2)\nnan\n0\n", "non-finite"),
        ("array float64 (1,1,2)\n1e999\n0\n", "non-finite"),
        ("array float64 (1,1,2)\n0.5\n0\n", "value"),
        ("array float64 (1,1,2)\n0x1p-3\n0\n", "format"),
        ("array float64 (1,1,2)\n1_0\n0\n", "format"),
        ("", "format"),
    ],
)
def test_what_is_wrong_is_named_in_the_judges_order(described, output_validator, output, expected):
    answer = kattis.answer(described.public[0]).encode()
    assert reason(output_validator, output.encode(), answer) == expected


@given(
    value=st.floats(-1e6, 1e6),
    ulps=st.integers(-3, 3),
    factor=st.sampled_from([0.0, 0.5, 1.0, 1.5]),
)
@settings(max_examples=300, deadline=None)
def test_the_rule_is_the_judges_own_to_the_last_bit(
    problem: Problem, output_validator, value, ulps, factor
):
    tolerance = problem.tolerance
    moved = value + factor * (tolerance.absolute + tolerance.relative * abs(value))
    moved = float(moved + ulps * np.spacing(moved))
    own = compare(np.array([moved]), np.array([value]), tolerance).accepted
    answer = kattis.output_text("float64", (1,), [value]).encode()
    output = kattis.output_text("float64", (1,), [moved]).encode()
    assert (reason(output_validator, output, answer) is None) == own


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_bytes_crash_the_output_validator(described, output_validator, data):
    answer = kattis.answer(described.public[0]).encode()
    assert reason(output_validator, data, answer) is not None


def test_learners_are_told_the_kind_of_fault_and_no_number(described, tmp_path):
    case = described.public[0]
    (tmp_path / "validator.py").write_text(kattis.output_validator(described))
    (tmp_path / "answer").write_text(kattis.answer(case))
    done = subprocess.run(
        [sys.executable, "validator.py", "input", "answer", f"{tmp_path}/"],
        input="array float64 (1,1,2)\n0.25\n0\n",
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == REJECTED
    assert (tmp_path / "teammessage.txt").read_text() == "wrong values\n"
    judge = (tmp_path / "judgemessage.txt").read_text()
    assert judge.startswith("value: element 0: expected 0.9999997777776296, got 0.25")


# ------------------------------------------------------------------------------- driver


@pytest.fixture
def drive(described, tmp_path: Path):
    """Run a submission on the first sample, as a judging system would."""

    def run(source: str | bytes, case: int = 0, name: str = "solution.py"):
        (tmp_path / "main.py").write_text(kattis.driver(described))
        data = source.encode() if isinstance(source, str) else source
        (tmp_path / name).write_bytes(data)
        return subprocess.run(
            [sys.executable, "main.py"],
            input=described.cases[case].input,
            capture_output=True,
            cwd=tmp_path,
            timeout=60,
            check=False,
        )

    return run


REFERENCE = (ROOT / "reference" / "encoder_block.py").read_bytes()


def test_a_right_submission_gives_output_that_is_right(described, drive, output_validator):
    done = drive(REFERENCE, case=3)
    assert done.returncode == 0
    answer = kattis.answer(described.cases[3]).encode()
    assert reason(output_validator, done.stdout, answer) is None


def test_large_arrays_arrive_as_they_were(described, drive, output_validator):
    number = next(i for i, c in enumerate(described.cases) if b'"base64"' in c.input)
    done = drive(REFERENCE, case=number)
    answer = kattis.answer(described.cases[number]).encode()
    assert reason(output_validator, done.stdout, answer) is None


@pytest.mark.parametrize(
    "prints",
    [
        "print('array float64 (1,1,2)')",
        "import sys; sys.stdout.write('array float64 (1,1,2)\\n1\\n1\\n'); sys.stdout.flush()",
        "import os; os.write(1, b'array float64 (1,1,2)\\n1\\n1\\n')",
        "import atexit; atexit.register(print, 'array float64 (1,1,2)')",
        "import sys; sys.__stdout__.write('array')",
    ],
)
def test_printing_never_reaches_the_result(drive, prints):
    done = drive(f"{prints}\ndef encoder_block(*arguments):\n    {prints}\n    return []\n")
    assert done.stdout == b"type list\n"


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("None", "type NoneType"),
        ("np.float64(1)", "type float64"),
        ("np.matrix([[1.0]])", "type matrix"),
        ("np.ones((1, 1, 2), np.float32)", "array float32 (1,1,2)"),
        ("np.ones((1, 1, 2), '>f8')", "array float64-swapped (1,1,2)"),
        ("np.array(1.5)", "array float64 ()\n1.5"),
        ("np.ones((2, 0))", "array float64 (2,0)"),
        ("np.array([np.nan, -np.inf])", "array float64 (2)\nnan\n-inf"),
        ("np.array([[0.1], [2.0]], order='F')", "array float64 (2,1)\n0.1\n2.0"),
    ],
)
def test_results_are_told_as_they_are(drive, expression, line):
    done = drive(f"import numpy as np\ndef encoder_block(*arguments):\n    return {expression}\n")
    assert done.stdout.decode() == line + "\n"
    assert done.returncode == 0


@pytest.mark.parametrize(
    "body",
    ["raise ValueError", "exit()", "import sys; sys.exit(0)", "import os; os._exit(0)",
     "import os; os.closerange(0, 256)", "return encoder_block(*arguments)"],
)  # fmt: skip
def test_what_returns_nothing_ends_with_an_error_and_no_output(drive, body):
    done = drive(f"def encoder_block(*arguments):\n    {body}\n")
    assert done.returncode != 0
    assert done.stdout == b""


def test_a_file_that_is_not_the_function_is_an_error(drive):
    assert drive("x = 1\n").returncode != 0


def test_the_submission_may_have_helpers_beside_it(drive, described, tmp_path):
    (tmp_path / "helpers.py").write_bytes(REFERENCE.replace(b"def encoder_block", b"def block"))
    done = drive("from helpers import block\n\ndef encoder_block(*a):\n    return block(*a)\n")
    assert done.stdout.startswith(b"array float64 (1,1,2)\n")


def test_waiting_is_turned_into_cpu_time_after_the_time_limit(described, tmp_path):
    """Judges that count CPU time alone would wait for ever for a submission that sleeps."""
    text = kattis.driver(described).replace('"seconds": 3', '"seconds": 0.05')
    (tmp_path / "main.py").write_text(text)
    (tmp_path / "solution.py").write_text(
        "import time\ndef encoder_block(*a):\n    time.sleep(1000)\n"
    )
    done = subprocess.run(
        ["sh", "-c", f"ulimit -t 1; exec '{sys.executable}' main.py"],
        input=described.cases[0].input,
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode < 0
