r"""A grader as courses write them: pytest, the published samples, np.allclose at its defaults.

    SUBMISSION=my_solution.py python -m pytest -q docs/examples/test_with_allclose.py

`judge audit` shows which mistakes it lets through:

    judge audit -- env SUBMISSION={file} \
        python -m pytest -q -c /dev/null docs/examples/test_with_allclose.py

With CASES='*/*' it takes every test case of this repository instead of the samples.
"""

import base64
import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent.parent / "testcases"
CASES = sorted(FOLDER.glob(os.environ.get("CASES", "sample/*") + ".in.json"))


def value(raw):
    if isinstance(raw, dict):
        data = np.frombuffer(
            base64.b64decode(raw["base64"]), np.dtype(raw["dtype"]).newbyteorder("<")
        )
        return data.reshape(raw["shape"])
    return np.array(raw, dtype=np.float64) if isinstance(raw, list) else raw


def load_submission():
    spec = importlib.util.spec_from_file_location("submission", os.environ["SUBMISSION"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.partition(".")[0])
def test_case(path):
    given = json.loads(path.read_text())["input"]
    answer = path.with_name(path.name.replace(".in.json", ".ans.json"))
    expected = value(json.loads(answer.read_text())["expected"])
    actual = load_submission().encoder_block(*map(value, given.values()))
    assert np.allclose(actual, expected)
