"""A snippet to paste makes the same arrays to the last bit, and tells right from wrong."""

from __future__ import annotations

import contextlib
import io
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from judge.problem import Problem
from judge.report.snippet import literal, snippet
from judge.testcases import load_cases
from tests.conftest import ROOT

TINY = ROOT / "tests" / "bundles" / "tiny"


def evaluate(text: str):
    import base64

    return eval(text, {"np": np, "base64": base64})


@given(
    arrays.arrays(
        st.sampled_from([np.float64, np.int64, np.bool_]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=12),
    )
)
def test_an_array_is_made_again_to_the_last_bit(array):
    if array.dtype == np.float64:
        array = np.nan_to_num(array, nan=0.5)
    again = evaluate(literal(array))
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize("shape", [(1025,), (40, 41), (2, 16, 64)])
def test_a_large_array_is_made_again_too(shape):
    array = np.random.default_rng(1).normal(size=shape)
    text = literal(array)
    assert "base64" in text
    assert evaluate(text).tobytes() == array.tobytes()
    assert evaluate(text).flags.writeable


def test_lines_fit_an_editor(problem):
    for case in load_cases(problem):
        names = [parameter.name for parameter in problem.function.parameters]
        inputs = dict(zip(names, case.inputs, strict=True))
        text = snippet(problem, case.name, inputs, case.expected)
        assert max(map(len, text.splitlines())) <= 100


def run(problem: Problem, name: str, function, monkeypatch) -> str:
    """Run the snippet of a case against a function, and return what it prints."""
    case = load_cases(problem, [name])[0]
    names = [parameter.name for parameter in problem.function.parameters]
    inputs = dict(zip(names, case.inputs, strict=True))
    module = types.ModuleType("solution")
    setattr(module, problem.function.name, function)
    monkeypatch.setitem(sys.modules, "solution", module)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(snippet(problem, name, inputs, case.expected, "solution"), {})
    return printed.getvalue()


def reference(bundle):
    namespace: dict[str, object] = {}
    problem = Problem.load(bundle)
    exec((bundle / "reference" / problem.function_file).read_text(), namespace)
    return problem, namespace[problem.function.name]


def test_the_reference_is_right_by_the_snippet(monkeypatch):
    problem, function = reference(ROOT)
    for name in ("sample/two-heads", "secret/sixty-four-features"):
        assert run(problem, name, function, monkeypatch).startswith("right")


def test_a_wrong_answer_is_wrong_by_the_snippet_and_its_worst_element_told(monkeypatch):
    problem, function = reference(ROOT)

    def wrong(*arguments):
        result = function(*arguments)
        result[0, 1, 2] += 1e-9
        return result

    printed = run(problem, "sample/two-heads", wrong, monkeypatch)
    assert printed.startswith("wrong")
    assert "[0, 1, 2]" in printed


@pytest.mark.parametrize("result", [None, [1.0], np.zeros((1, 2, 4), dtype=np.float32)])
def test_a_result_of_another_type_is_said_to_be(result, monkeypatch):
    problem, _ = reference(ROOT)
    with pytest.raises(SystemExit, match="expected an array of float64"):
        run(problem, "sample/two-heads", lambda *_: result, monkeypatch)


def test_a_result_of_another_shape_is_said_to_be(monkeypatch):
    problem, _ = reference(ROOT)
    with pytest.raises(SystemExit, match=r"expected shape \(1, 2, 4\), got \(2, 4\)"):
        run(problem, "sample/two-heads", lambda *_: np.zeros((2, 4)), monkeypatch)


def test_nan_is_wrong(monkeypatch):
    problem, _ = reference(ROOT)
    nan = np.full((1, 2, 4), np.nan)
    assert run(problem, "sample/two-heads", lambda *_: nan, monkeypatch).startswith("wrong")


def test_a_bundle_with_a_scalar_result_has_snippets_too(monkeypatch):
    problem, function = reference(TINY)
    name = next(case.name for case in load_cases(problem))
    assert run(problem, name, function, monkeypatch).startswith("right")
    assert run(problem, name, lambda *_: np.float64(1e9), monkeypatch).startswith("wrong")


def test_a_file_whose_name_is_no_module_name_is_run_by_its_path(problem):
    case = load_cases(problem, ["sample/two-heads"])[0]
    names = [parameter.name for parameter in problem.function.parameters]
    inputs = dict(zip(names, case.inputs, strict=True))
    text = snippet(problem, "x", inputs, case.expected, "my solution-1")
    assert "runpy.run_path('my solution-1.py')['encoder_block']" in text
