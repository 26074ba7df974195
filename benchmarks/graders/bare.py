"""The yardstick: load the cases, import the submission, run, compare, in one unprotected process.

Usage: bare.py BUNDLE SUBMISSION
"""

import base64
import json
import pathlib
import runpy
import sys

import numpy as np

TOLERANCE = 2e-12


def value(v):
    if isinstance(v, dict):
        data = np.frombuffer(base64.b64decode(v["base64"]), np.dtype(v["dtype"]))
        return data.reshape(v["shape"])
    return np.array(v, dtype=np.float64) if isinstance(v, list) else v


def cases(bundle):
    folder = pathlib.Path(bundle, "testcases")
    for entry in json.loads((folder / "manifest.json").read_bytes())["cases"]:
        given = json.loads((folder / f"{entry['name']}.in.json").read_bytes())["input"]
        answer = json.loads((folder / f"{entry['name']}.ans.json").read_bytes())["expected"]
        yield entry["name"], [value(v) for v in given.values()], value(answer)


def right(actual, expected):
    return bool(np.all(np.abs(actual - expected) <= TOLERANCE + TOLERANCE * np.abs(expected)))


def main(bundle, submission):
    loaded = list(cases(bundle))
    function = runpy.run_path(submission)["encoder_block"]
    passed = sum(right(function(*inputs), expected) for _, inputs, expected in loaded)
    print(f"{passed} of {len(loaded)}")
    return passed == len(loaded)


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:3]))
