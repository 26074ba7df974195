"""Fresh cases: the same from the same seed, admitted, and what they find beyond the fixed set."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from judge.authoring.arithmetic import bound
from judge.authoring.fresh import fresh_cases
from judge.authoring.modules import load_function
from judge.authoring.stress import stress
from judge.cli import _run
from judge.faults import BundleError
from judge.mistakes import Mistakes
from judge.problem import Problem
from judge.runner import Judge
from judge.verdicts import Reason, Verdict
from tests.conftest import ROOT

DROPS_LAST_BLOCK = ROOT / "tests" / "authoring" / "programs" / "drops_last_block.py"


def take(problem, seed, count):
    return list(itertools.islice(fresh_cases(problem, seed), count))


def test_equal_seeds_give_equal_cases_and_others_give_others(problem):
    first, again, other = take(problem, 5, 4), take(problem, 5, 4), take(problem, 6, 4)
    for one, two in zip(first, again, strict=True):
        assert one.name == two.name
        assert one.expected.tobytes() == two.expected.tobytes()
    assert any(
        one.expected.tobytes() != two.expected.tobytes()
        for one, two in zip(first, other, strict=True)
    )


def test_fresh_cases_are_secret_admitted_and_none_of_the_fixed_set(problem):
    exact = load_function(problem, "reference/exact.py")
    with Judge(problem) as judge:
        fixed = {case.expected.tobytes() for case in judge.cases}
        for number, case in enumerate(take(problem, 11, 6), start=1):
            assert case.name == f"secret/fresh-{number}"
            assert case.group == "secret"
            assert case.expected.tobytes() not in fixed
            assert bound(exact, case.inputs) <= problem.tolerance.absolute


def test_sizes_vary_within_the_constraints(problem):
    shapes = {case.inputs[0].shape for case in take(problem, 3, 12)}
    assert len(shapes) >= 6


def test_a_bundle_without_families_has_no_fresh_cases(bundle):
    (bundle / "generator" / "families.py").unlink()
    with pytest.raises(BundleError, match=r"families\.py: the file is missing"):
        next(fresh_cases(Problem.load(bundle), 1))


def test_the_reference_survives(problem):
    source = (ROOT / "reference" / "encoder_block.py").read_bytes()
    with Judge(problem) as judge:
        found = stress(judge, source, 2, seconds=600, most=12)
    assert found.failure is None
    assert found.judged == 12


def test_stress_finds_a_mistake_that_the_fixed_set_misses_and_shrinks_it(problem):
    source = DROPS_LAST_BLOCK.read_bytes()
    with Judge(problem) as judge:
        assert judge.run(source).verdict is Verdict.AC
        # This seed draws a sequence of 18 among its first cases; another needs a hundred or two.
        found = stress(judge, source, 651, seconds=600, most=400)
    assert found.failure is not None
    example = found.failure.example
    # The first length at which the last block of 16 is cut, and one of everything else.
    assert example.inputs["x"].shape[:2] == (1, 17)
    assert example.inputs["num_heads"] == 1
    assert found.failure.shrunk.verdict is Verdict.WA
    assert found.failure.shrunk.reason is Reason.VALUE


@pytest.mark.parametrize(
    ("change", "verdict", "reason"),
    [
        ("1 / (x.shape[1] - 2)\n    ", Verdict.RTE, Reason.EXCEPTION),
        ("x = x if x.shape[1] != 2 else x[:, :1]\n    ", Verdict.WA, Reason.SHAPE),
        ("x = x if x.shape[1] != 2 else x * np.nan\n    ", Verdict.WA, Reason.NON_FINITE),
    ],
)
def test_every_kind_of_failure_is_found_and_stays_what_it_is(problem, change, verdict, reason):
    mistakes = Mistakes.load(problem)
    source = mistakes.reference.replace("attended = multi", f"{change}attended = multi")
    with Judge(problem) as judge:
        found = stress(judge, source.encode(), 4, seconds=600, most=200)
    assert found.failure is not None
    assert (found.failure.shrunk.verdict, found.failure.shrunk.reason) == (verdict, reason)
    assert found.failure.example.inputs["x"].shape == (1, 2, 1)


def judge_command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "judge", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_command_prints_a_ready_case_and_a_snippet_that_runs(tmp_path, problem):
    mistakes = Mistakes.load(problem)
    path = tmp_path / "encoder_block.py"
    path.write_text(mistakes.source("no-b2"), encoding="utf-8")
    done = judge_command("stress", path, "--seed", "3", "--cases", "16")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("found a failure: ")
    assert "seed 3" in done.stdout
    entry, _, snippet = done.stdout.partition("\n# found by judge stress\n")
    assert "  - name: secret/found-by-stress" in entry
    script = tmp_path / "snippet.py"
    script.write_text(snippet, encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert shown.stdout.startswith("wrong\n")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def other(x): return x\n", "can't be loaded: there is no function encoder_block"),
        ("def encoder_block(*a):\n    while True: pass\n", "as drawn: TLE, the call took longer"),
    ],
)
def test_what_fails_for_no_reason_of_the_case_is_not_shrunk(tmp_path, source, said):
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    done = judge_command("stress", path, "--seed", "3", "--cases", "1")
    assert done.returncode == 1, done.stderr
    assert said in done.stdout


def test_the_command_accepts_what_survives(tmp_path):
    done = judge_command(
        "stress", "reference/encoder_block.py", "--seed", "1", "--cases", "3", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["failure"] is None
    assert document["judged"] == 3
    assert document["seed"] == 1


def test_run_adds_fresh_cases(tmp_path):
    options = ["run", "reference/encoder_block.py", "--format", "json", "--fresh", "3"]
    document = json.loads(judge_command(*options, "--seed", "9").stdout)
    names = [case["name"] for case in document["cases"]]
    assert names[-3:] == ["secret/fresh-1", "secret/fresh-2", "secret/fresh-3"]
    assert document["verdict"] == "AC"
    assert document["provenance"]["seed"] == 9


def test_a_seed_file_decides_the_cases_and_a_learner_is_not_told_the_seed(tmp_path, problem):
    secret = tmp_path / "seed"
    secret.write_text("correct horse\n", encoding="utf-8")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(Mistakes.load(problem).source("no-relu"), encoding="utf-8")
    options = ["run", wrong, "--format", "json", "--fresh", "2", "--seed-file", secret]
    first, again = (json.loads(judge_command(*options).stdout) for _ in range(2))
    assert first["provenance"]["seed"] == again["provenance"]["seed"] is not None
    assert [c.get("error") for c in first["cases"]] == [c.get("error") for c in again["cases"]]
    told = json.loads(judge_command(*options, "--audience", "learner").stdout)
    assert told["provenance"]["seed"] is None
    assert "error" not in told["cases"][-1] or told["cases"][-1]["error"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "3"], "a seed is for fresh cases: add --fresh N"),
        (["--fresh", "1", "--seed", "3", "--seed-file", "LICENSE"], "exclude one another"),
        (["--fresh", "0"], "0 is not in the range"),
        (["--fresh", "1", "--seed-file", "/dev/null"], "the file is empty"),
    ],
)
def test_options_that_make_no_sense_together_are_refused(options, message, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert _run(["run", "reference/encoder_block.py", *options]) == 2
    assert message in capsys.readouterr().err
