"""Test case files: exact in both forms, and every fault of a file named."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from judge.casefiles import (
    LARGEST_NESTED,
    decode_answer,
    decode_input,
    decode_value,
    encode_answer,
    encode_input,
    encode_value,
)
from judge.faults import BundleError, Faults
from judge.problem import Problem
from judge.signature import parse_type
from judge.testcases import load_cases, load_manifest

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=6)


def again(array: np.ndarray) -> np.ndarray:
    dims = ", ".join(f"n{i}" for i in range(array.ndim))
    kind = parse_type(f"{array.dtype}[{dims}]")
    return decode_value(json.dumps(encode_value(array)).encode(), kind)


@given(hnp.arrays(np.float64, SHAPES, elements=FINITE))
def test_small_float_arrays_come_back_bit_for_bit(array):
    assert again(array).tobytes() == array.tobytes()
    assert again(array).shape == array.shape


@given(hnp.arrays(np.int64, SHAPES) | hnp.arrays(np.bool_, SHAPES))
def test_whole_numbers_and_truth_values_come_back(array):
    assert again(array).dtype == array.dtype
    assert np.array_equal(again(array), array)


@given(st.integers(0, 2**32))
def test_large_arrays_come_back_bit_for_bit(seed):
    array = np.random.default_rng(seed).standard_normal((41, 25))
    assert array.size > LARGEST_NESTED
    assert set(encode_value(array)) == {"dtype", "shape", "base64"}
    assert again(array).tobytes() == array.tobytes()


def test_the_border_between_the_forms_is_by_size():
    assert isinstance(encode_value(np.zeros((32, 32))), list)
    assert isinstance(encode_value(np.zeros((41, 25))), dict)


def test_order_in_memory_changes_no_byte():
    array = np.arange(2000.0).reshape(50, 40)
    fortran, strided = np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2]
    assert encode_answer(array) == encode_answer(fortran) == encode_answer(strided)
    assert encode_answer(array) == encode_answer(array.astype(">f8").astype("<f8"))


def test_floats_are_written_as_repr_writes_them():
    values = [0.1, 1e16, 1e-7, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3]
    text = encode_answer(np.array(values)).decode()
    assert text == f'{{"format": 1, "expected": [{", ".join(map(repr, values))}]}}\n'


def test_nothing_that_json_has_no_number_for_is_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_answer(np.array([math.inf]))


WRONG = {
    "[1, 2": "expected float64[n] as nested lists",
    "[1, NaN]": "expected float64[n] as nested lists",
    '["1"]': "expected float64[n] as nested lists",
    "[[1.0]]": "expected float64[n] as nested lists",
    "1.0": "expected float64[n] as nested lists",
    '{"dtype": "float64", "shape": [2]}': "not an array with dtype, shape and base64",
    '{"dtype": "int64", "shape": [1], "base64": "AAAAAAAAAAA="}': "expected an array of float64",
    '{"dtype": "float64", "shape": [2], "base64": "AAAAAAAAAAA="}': "needs 16 bytes, base64 has 8",
    '{"dtype": "float64", "shape": [-1], "base64": ""}': "shape [-1] is impossible",
    '{"dtype": "float64", "shape": [99999999999], "base64": ""}': "is impossible",
    '{"dtype": "float64", "shape": [1], "base64": "?"}': "not an array with dtype, shape",
    '{"dtype": "O", "shape": [1], "base64": "AAAAAAAAAAA="}': "expected an array of float64, got O",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_array_is_refused_in_words(text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is compared below)
        decode_value(text.encode(), parse_type("float64[n]"))
    assert WRONG[text] in str(caught.value)


def test_unequal_and_empty_lists_are_refused():
    with pytest.raises(ValueError, match="unequal lengths"):
        decode_value(b"[[1, 2], [3]]", parse_type("float64[a, b]"))
    with pytest.raises(ValueError, match="an axis is empty"):
        decode_value(b"[]", parse_type("float64[a, b]"))


@given(st.binary(max_size=60))
def test_no_bytes_at_all_raise_anything_but_a_fault(data):
    faults = Faults("x")
    decode_answer(data, parse_type("float64[n]"), faults)
    for prefix in (b'{"format": 1, "expected": ', b'{"format": 1, "expected": {"dtype": "float64"'):
        decode_answer(prefix + data + b"}", parse_type("float64[n]"), faults)


def test_inputs_come_back_by_name(problem):
    [case] = load_cases(problem, ["secret/three-heads"])
    names = [parameter.name for parameter in problem.function.parameters]
    faults = Faults("x")
    data = encode_input(dict(zip(names, case.inputs, strict=True)))
    values = decode_input(data, problem, faults)
    assert faults.found == []
    assert list(values) == names
    assert all(np.array_equal(values[n], v) for n, v in zip(names, case.inputs, strict=True))


def test_a_format_of_the_future_is_refused(problem):
    faults = Faults("x")
    decode_input(b'{"format": 2, "input": {}}', problem, faults)
    decode_answer(b'{"format": 2, "expected": 1}', parse_type("float64[]"), faults)
    assert [str(fault) for fault in faults.found] == ["x: format 2: this judge reads format 1"] * 2


def test_every_case_of_the_bundle_is_read_in_order(problem):
    entries = load_manifest(problem).cases
    cases = load_cases(problem)
    assert [case.name for case in cases] == [entry.name for entry in entries]
    assert [list(case.tags) for case in cases] == [entry.tags for entry in entries]
    assert all(case.expected.dtype == np.float64 for case in cases)
    assert all(case.inputs[0].flags.writeable for case in cases)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the file is missing; make it with: judge generate"),
        (b"{", "can't be read"),
        (b'{"format": 1}', "can't be read"),
        (
            b'{"format": 3, "problem": "x", "seed": 1, "made_from": {}, "tags": {}, "cases": []}',
            "format 3: this judge reads format 1",
        ),
    ],
)
def test_a_broken_manifest_says_what_to_do(bundle, content, message):
    path = bundle / "testcases" / "manifest.json"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BundleError) as caught:
        load_cases(Problem.load(bundle))
    assert message in str(caught.value)
