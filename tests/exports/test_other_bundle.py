"""A bundle as unlike this repository's as can be: other types, a result without axes, weights."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from judge.authoring.export import Options, kattis, make
from judge.authoring.export.bundle import Bundle, gather
from judge.problem import Problem
from judge.verdicts import Verdict
from tests.conftest import ROOT

RIGHT, WRONG = 42, 43


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("tiny") / "bundle"
    shutil.copytree(ROOT / "tests" / "bundles" / "tiny", folder)
    (folder / "statement.md").write_text("# Power Sum\n\nAdd up.\n\n## Samples\n\nNone.\n")
    (folder / "LICENSE").write_text("CC BY 4.0\n")
    return gather(Problem.load(folder))


@pytest.fixture(scope="module")
def package(tiny: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    for path, content in make(tiny, "bapctools").files.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder / "powersum"


def run(program: Path, *arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, str(program), *arguments]
    return subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("target", ["kattis-2025-09", "kattis-2023-07-draft", "bapctools"])
def test_every_problem_package_can_be_made(tiny, target):
    files = make(tiny, target).files.files
    keys = yaml.safe_load(files["powersum/problem.yaml"])
    assert keys["limits"]["memory"] == 256 + kattis.STARTING_MEMORY
    statement = next(text for path, text in files.items() if "/statement/" in path)
    assert b"None." not in statement
    assert b"base64" not in statement


def test_containers_count_the_weights_of_groups(tiny, wheels):
    settings = make(tiny, "gradescope", Options(wheels=wheels)).files.files
    points = json.loads(settings["autograder/settings.json"])["points"]
    weights = tiny.problem.weights
    assert points == sum(weights[case.entry.group] for case in tiny.cases)
    assert points != len(tiny.cases)


def test_its_inputs_are_valid_and_its_edges_are_not(package):
    validator = package / "input_validators" / "input_validator.py"
    inputs = sorted(package.glob("data/s*/*.in"))
    assert len(inputs) > 2
    for path in inputs:
        assert run(validator, given=path.read_bytes()).returncode == RIGHT, path
    for path in sorted(package.glob("data/invalid_input/*.in")):
        assert run(validator, given=path.read_bytes()).returncode == WRONG, path


def test_its_edges_of_outputs_are_judged_as_named(package, tmp_path):
    validator = package / "output_validator" / "output_validator.py"
    for folder, code in (("invalid_output", WRONG), ("valid_output", RIGHT)):
        outputs = sorted(package.glob(f"data/{folder}/*.out"))
        assert outputs
        for path in outputs:
            files = str(path.with_suffix(".in")), str(path.with_suffix(".ans")), f"{tmp_path}/"
            done = run(validator, *files, given=path.read_bytes())
            assert done.returncode == code, (path, done.stderr)


def test_every_submission_gets_its_verdict_through_driver_and_validator(package, tiny, tmp_path):
    validator = package / "output_validator" / "output_validator.py"
    inputs = sorted(package.glob("data/s*/*.in"))
    judged = 0
    for known in tiny.known:
        if kattis.expressible(known) or known.verdict not in (Verdict.AC, Verdict.WA):
            continue
        folder = package / "submissions" / kattis.FOLDERS[known.verdict] / known.name
        codes = []
        for path in inputs:
            out = run(folder / "main.py", given=path.read_bytes())
            assert out.returncode == 0, out.stderr
            files = str(path), str(path.with_suffix(".ans")), f"{tmp_path}/"
            codes.append(run(validator, *files, given=out.stdout).returncode)
        assert set(codes) <= {RIGHT, WRONG}
        assert (WRONG in codes) == (known.verdict is Verdict.WA), known.path
        judged += 1
    assert judged >= 3
