"""Packages, proved by the target systems' own tools, or by their documented steps.

Slow ones run once a session and are read by several tests.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.authoring.export import Options, kattis, make
from judge.authoring.export.bundle import gather
from judge.authoring.sections import replace_section
from judge.problem import Problem
from judge.verdicts import Verdict
from tests.conftest import ROOT
from tests.exports import systems, table
from tests.exports.tools import PROBLEMTOOLS, environment, run

pytestmark = pytest.mark.exports

CE = "compile_error/syntax_error"
PRINTS = "wrong_answer/fakes_a_report"
NOISY = "accepted/prints"


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder that every user may enter, as a container's are; pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="exports-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def sources(described) -> dict[str, bytes]:
    """Every known submission by its path without the ending."""
    return {known.path.removesuffix(".py"): known.source for known in described.known}


@pytest.fixture(scope="session")
def verified(described, folder) -> systems.Outcome:
    return systems.problemtools(make(described, "kattis-2023-07-draft"), folder / "problemtools")


@pytest.fixture(scope="session")
def bapc(described, folder) -> systems.Outcome:
    return systems.bapctools(make(described, "bapctools"), folder / "bapctools")


@pytest.fixture(scope="session")
def container_options() -> Options:
    return Options(pythons=(systems.container_python(),))


@pytest.fixture(scope="session")
def gradescoped(described, sources, folder, container_options) -> systems.Outcome:
    package = make(described, "gradescope", container_options)
    wanted = {name: sources[name] for name in [*systems.twenty(), CE]}
    return systems.gradescope(package, folder / "gradescope", wanted)


@pytest.fixture(scope="session")
def prairielearned(described, sources, folder, container_options) -> systems.Outcome:
    package = make(described, "prairielearn", container_options)
    wanted = {name: sources[name] for name in [*systems.twenty(), CE]}
    return systems.prairielearn(package, folder / "prairielearn", wanted)


@pytest.fixture(scope="session")
def taken_home(described, sources, folder) -> systems.Outcome:
    package = make(described, "handout")
    wanted = {name: sources[name] for name in systems.twenty()}
    return systems.handout(package, folder / "handout", wanted)


# ------------------------------------------------------------------------------- problemtools


def test_problemtools_finds_no_error_and_warns_of_the_draft_alone(verified):
    """That its support of the draft is incomplete is the one warning nobody can avoid."""
    complaints = [
        line for line in verified.text.splitlines() if line.startswith(("ERROR", "WARNING"))
    ]
    assert len(complaints) == 1, "\n".join(complaints)
    assert "2023-07-draft is very incomplete" in complaints[0]
    assert re.search(r"tested: 0 errors, 1 warning$", verified.text, re.MULTILINE)


def test_problemtools_gives_every_submission_its_verdict(verified, described):
    expected = {
        f"{kattis.FOLDERS[known.verdict]}/{known.name}": {"MLE": "RTE"}.get(
            known.verdict, str(known.verdict)
        )
        for known in described.known
        if kattis.expressible(known) is None
    }
    assert verified.verdicts == expected


def test_the_statement_in_latex_compiles_and_renders(described, folder):
    """BAPCtools' statement, set by problemtools, which knows the same commands."""
    package = make(described, "kattis-2023-07-draft")
    name = next(iter(package.archives.values()))[0]
    home = systems.unpacked(package, folder / "latex") / name
    (home / "statement" / "problem.en.md").unlink()
    (home / "statement" / "problem.en.tex").write_text(kattis.latex(described))
    done = run(
        ["verifyproblem", "--parts", "statement", "--", name],
        home.parent, environment(PROBLEMTOOLS), 10 * systems.MINUTES,
    )  # fmt: skip
    assert "tested: 0 errors" in done.stdout, done.stdout


# ------------------------------------------------------------------------------- BAPCtools


def test_bapctools_validates_every_input_answer_and_edge(described, folder):
    text = systems.bt(make(described, "bapctools"), folder / "validate", "validate", "--no-bar")
    for stage in ("Invalidation", "Input validation", "Answer validation", "Output validation"):
        assert f"\n{stage}: Done" in text, text
    complaints = [
        line
        for line in text.splitlines()
        if re.search(r"(?i)warn|error|reject|fail|did you mean", line)
    ]
    assert complaints == []


def test_bapctools_gives_every_submission_its_verdict(bapc, described):
    expected = {
        f"{kattis.FOLDERS[known.verdict]}/{known.name}": {"MLE": "RTE"}.get(
            known.verdict, str(known.verdict)
        )
        for known in described.known
        if kattis.expressible(known) is None
    }
    assert bapc.verdicts == expected
    for complaint in ("permitted:", "required:", "missing '", "WARNING", "ERROR"):
        assert complaint not in bapc.text


# ------------------------------------------------------------------------------- containers

GRADESCOPE_KEYS = {
    "score", "execution_time", "output", "output_format", "test_output_format",
    "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard",
}  # fmt: skip
GRADESCOPE_TEST_KEYS = {
    "score", "max_score", "status", "name", "name_format", "number", "output", "output_format",
    "tags", "visibility", "extra_data",
}  # fmt: skip
PRAIRIELEARN_TEST_KEYS = {
    "name", "description", "points", "max_points", "message", "output", "images",
}  # fmt: skip
VISIBILITIES = {"visible", "hidden", "after_due_date", "after_published"}


def test_gradescopes_results_have_the_published_form(gradescoped, described):
    for name, results in gradescoped.results.items():
        assert results.keys() <= GRADESCOPE_KEYS, name
        assert isinstance(results["score"], int | float)
        assert results["visibility"] in VISIBILITIES
        assert results["stdout_visibility"] == "hidden"
        for test in results.get("tests", []):
            assert test.keys() <= GRADESCOPE_TEST_KEYS
            assert 0 <= test["score"] <= test["max_score"]
            assert test["status"] in ("passed", "failed")
            assert test["visibility"] in VISIBILITIES
    right = gradescoped.results["accepted/reference"]
    assert right["score"] == sum(test["max_score"] for test in right["tests"])
    assert [test["name"] for test in right["tests"]] == [c.entry.name for c in described.cases]


def test_prairielearns_results_have_the_published_form(prairielearned, described):
    for name, results in prairielearned.results.items():
        if not results["gradable"]:
            assert results.keys() == {"gradable", "format_errors"}
            continue
        assert 0 <= results["score"] <= 1, name
        for test in results["tests"]:
            assert test.keys() <= {
                "name",
                "description",
                "points",
                "max_points",
                "message",
                "output",
                "images",
            }
            assert 0 <= test["points"] <= test["max_points"]
    right = prairielearned.results["accepted/reference"]
    assert right["score"] == 1
    assert len(right["tests"]) == len(described.cases)


def test_results_stay_under_a_megabyte_whatever_is_printed(gradescoped, prairielearned):
    for outcome in (gradescoped, prairielearned):
        for results in outcome.results.values():
            assert len(json.dumps(results)) < 1_000_000


@pytest.mark.parametrize("system", ["gradescoped", "prairielearned"])
def test_what_can_not_be_loaded_is_not_graded_and_says_why(system, request):
    results = request.getfixturevalue(system).results[CE]
    text = results.get("output") or results["format_errors"][0]
    assert "syntax error in line 7" in text
    assert "tests" not in results


@pytest.mark.parametrize("system", ["gradescoped", "prairielearned"])
def test_learners_see_samples_in_full_and_of_secret_cases_no_data(system, request, described):
    results = request.getfixturevalue(system).results["wrong_answer/rounded"]
    secret = [test for test in results["tests"] if test["name"].startswith("secret/")]
    assert secret
    for test in secret:
        shown = f"{test.get('output', '')} {test.get('message', '')}"
        assert not re.search(r"\d\.\d{6}", shown), shown
    sample = next(t for t in results["tests"] if t["name"] == "sample/two-heads")
    shown = f"{sample.get('output')} {sample.get('message')}"
    assert re.search(r"expected -?\d\.\d{12,}, got", shown)
    told = str(results)
    for case in described.cases:
        if not case.public:
            numbers = map(repr, case.expected.ravel().tolist()[:50])
            assert not [number for number in numbers if len(number) > 12 and number in told]


@pytest.mark.parametrize("system", ["gradescoped", "prairielearned"])
def test_staff_read_what_was_proved_of_isolation(system, request):
    text = request.getfixturevalue(system).text
    assert '"answers-unreadable"' in text
    assert "NOT PROVED" not in text
    assert "provenance: " in text


@pytest.mark.parametrize("system", ["gradescoped", "prairielearned"])
def test_the_mistake_is_named(system, request):
    results = request.getfixturevalue(system).results["wrong_answer/mistake_pre_norm"]
    assert "pre-norm" in results["output"]


def test_a_judge_that_fails_gives_no_zero(described, folder, container_options):
    package = make(described, "prairielearn", container_options)
    broken = folder / "broken"
    slug = next(iter(package.archives.values()))[0]
    systems.unpacked(package, broken)
    answer = broken / slug / "tests" / "bundle" / "testcases" / "sample" / "two-heads.ans.json"
    answer.write_text("{}")
    root = broken / "grade"
    shutil.copytree(broken / slug / "tests", root / "tests")
    (root / "student").mkdir()
    (root / "student" / "encoder_block.py").write_bytes(described.starter)
    subprocess.run(["bash", str(root / "tests" / "run.sh")], check=False, capture_output=True)
    results = json.loads((root / "results" / "results.json").read_text())
    assert results["gradable"] is False
    assert "no fault of yours" in results["format_errors"][0]


# ------------------------------------------------------------------------------- all


def test_the_tables_verdicts_are_equal_and_as_documented(
    described, sources, verified, bapc, gradescoped, prairielearned, taken_home, folder
):
    own = systems.own(ROOT, {n: sources[n] for n in systems.twenty()}, folder / "own")
    columns = {
        "this judge": own.verdicts,
        "`kattis-2023-07-draft`": verified.verdicts,
        "`bapctools`": bapc.verdicts,
        "`gradescope`": gradescoped.verdicts,
        "`prairielearn`": prairielearned.verdicts,
        "`handout`": taken_home.verdicts,
    }
    expected = {known.path.removesuffix(".py"): str(known.verdict) for known in described.known}
    for title, verdicts in columns.items():
        for name in systems.twenty():
            assert verdicts[name] == expected[name], f"{title}: {name}"
    document = table.DOCUMENT.read_text(encoding="utf-8")
    content = table.markdown(columns)
    assert replace_section(document, table.SECTION, content) == document, (
        "docs/exports.md is stale; write it again with: python -m tests.exports.table"
    )


def test_the_twenty_are_right_wrong_in_ten_ways_slow_and_crashing():
    problem = Problem.load(ROOT)
    verdicts = [
        next(k.verdict for k in gather(problem).known if k.path == f"{name}.py")
        for name in systems.twenty()
    ]
    assert len(verdicts) == 20
    assert verdicts.count(Verdict.WA) == 10
    assert verdicts.count(Verdict.TLE) == 1
    assert verdicts.count(Verdict.RTE) == 4
