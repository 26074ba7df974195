"""What every target's package holds, and what it must not."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import pytest
import yaml

from judge.authoring.export import MODULES, Options, kattis, make, targets
from judge.authoring.export.bundle import gather
from judge.counterexamples import (
    COUNTEREXAMPLES,
    Counterexample,
    encode_counterexamples,
    load_counterexamples,
)
from judge.faults import BundleError
from judge.problem import Problem
from judge.testcases import load_cases, load_manifest
from judge.verdicts import Verdict
from tests.conftest import ROOT
from tests.exports.conftest import copy_bundle

NAMES = (
    "kattis-2025-09",
    "kattis-2023-07-draft",
    "bapctools",
    "gradescope",
    "prairielearn",
    "handout",
)
KATTIS = NAMES[:3]

_OF_KATTIS = tuple(f"encoderblock/{name}/" for name in ("attachments", "statement", "data/sample"))
PUBLIC_PARTS = {
    "kattis-2025-09": _OF_KATTIS,
    "kattis-2023-07-draft": _OF_KATTIS,
    "bapctools": _OF_KATTIS,
    "gradescope": ("samples/", "statement.html", "encoder_block.py"),
    "prairielearn": (
        "encoder-block/clientFilesQuestion/",
        "encoder-block/question.html",
        "encoder-block/encoder_block.py",
    ),
    "handout": ("encoder-block/",),
}
"""The parts of a package that learners see."""


def secrets(described) -> list[bytes]:
    """Return pieces of every secret case that nothing public may hold: a row of numbers each."""
    pieces = []
    for case in described.cases:
        if not case.public:
            numbers = re.findall(rb"-?\d\.\d{9,}", case.answer)[:2]
            pieces += [b", ".join(numbers)] if len(numbers) > 1 else []
            pieces += re.findall(rb'"base64": "[^"]{40}', case.answer)
    return pieces


def test_the_targets_are_those_of_the_documentation():
    assert tuple(targets()) == NAMES
    text = (ROOT / "docs" / "exports.md").read_text()
    for name, target in targets().items():
        assert f"`{name}`" in text
        assert target.summary


@pytest.mark.parametrize("name", NAMES)
def test_the_same_bundle_gives_the_same_bytes(name, made, described, unlocked, wheels):
    first = made(name)
    bundle = unlocked if name in ("gradescope", "prairielearn") else gather(described.problem)
    second = make(bundle, name, Options(wheels=wheels))
    assert first.files == second.files
    for archive in first.archives:
        assert first.archive(archive) == second.archive(archive)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_secret_case_is_where_learners_look(name, made, described):
    pieces = secrets(described)
    assert len(pieces) > 30
    seen = 0
    for path, content in made(name).files.files.items():
        if path.startswith(PUBLIC_PARTS[name]):
            seen += 1
            assert not any(piece in content for piece in pieces), path
            assert b"/secret/" not in path.encode()
    assert seen >= 3


@pytest.mark.parametrize("name", NAMES)
def test_every_package_holds_licence_credits_and_starter(name, made, described):
    files = made(name).files.files
    assert described.licence in files.values()
    assert described.starter in files.values()
    for word in ("Vaswani", "The Encoder Block authors", "1706.03762"):
        assert any(word.encode() in content for content in files.values())


@pytest.mark.parametrize("name", NAMES)
def test_archives_hold_what_the_folder_holds(name, made):
    package = made(name)
    for archive, (folder, with_folder) in package.archives.items():
        names = zipfile.ZipFile(io.BytesIO(package.archive(archive))).namelist()
        start = f"{folder}/" if with_folder else ""
        assert sorted(f"{start}{path}" for path in package.files.below(folder).files) == names


# ------------------------------------------------------------------------------- Kattis


@pytest.mark.parametrize("name", KATTIS)
def test_metadata_and_limits_are_the_bundles(name, made, described):
    text = made(name).files.files["encoderblock/problem.yaml"]
    keys = yaml.safe_load(text)
    problem = described.problem
    version = "2023-07-draft" if name == "kattis-2023-07-draft" else "2025-09"
    assert keys["problem_format_version"] == version
    for key in ("name", "uuid", "version", "license", "rights_owner", "keywords"):
        assert keys[key] == getattr(problem, key)
    assert keys["credits"]["authors"] == problem.credits.authors
    assert keys["source"][0]["url"] == problem.source[0].url
    assert keys["limits"]["time_limit"] == 3
    assert keys["limits"]["memory"] == 1536
    assert keys["limits"]["output"] == problem.limits.output


@pytest.mark.parametrize("name", KATTIS)
def test_cases_are_in_order_samples_apart_from_secret_ones(name, made, described):
    files = made(name).files.files
    inputs = sorted(p for p in files if re.match(r"encoderblock/data/(sample|secret)/.*\.in$", p))
    assert [files[path] for path in inputs] == [case.input for case in described.cases]
    assert all(path.removesuffix(".in") + ".ans" in files for path in inputs)
    assert sum("/sample/" in path for path in inputs) == len(described.public)


def test_names_are_those_that_the_format_allows(made):
    for name in KATTIS:
        for path in made(name).files.below("encoderblock").files:
            for part in path.split("/"):
                assert re.fullmatch(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,254}", part), path


@pytest.mark.parametrize("name", KATTIS)
def test_submissions_stand_where_their_verdict_puts_them(name, made, described):
    files = made(name).files.below("encoderblock/submissions").files
    for known in described.known:
        place = f"{kattis.FOLDERS.get(known.verdict)}/{known.name}"
        path = f"{place}/encoder_block.py" if name == "bapctools" else f"{place}.py"
        assert (path in files) == (kattis.expressible(known) is None), known.path
        if path in files:
            assert files[path] == known.source


def test_what_is_left_out_is_told_with_the_reason(made, described):
    left_out = made("bapctools").left_out
    assert len(left_out) == sum(kattis.expressible(k) is not None for k in described.known)
    text = "\n".join(left_out)
    assert "keeps_state.py: WA here, AC where every case has a process of its own" in text
    assert "syntax_error.py: can't be loaded (CE) is no verdict there" in text


def test_the_package_with_include_is_the_one_with_the_driver_inlined(made):
    """What `include/` adds to every submission is what BAPCtools' package has in each."""
    with_include = made("kattis-2025-09").files.below("encoderblock")
    inlined = made("bapctools").files.below("encoderblock")
    driver = with_include.files["include/python3/main.py"]
    assert driver == with_include.files["include/python3numpy/main.py"]
    built = {}
    for path, content in with_include.files.items():
        match = re.fullmatch(r"(submissions/\w+/\w+)\.py", path)
        if match:
            built[f"{match[1]}/encoder_block.py"] = content
            built[f"{match[1]}/main.py"] = driver
        elif not path.startswith(("include/", "statement/", "submissions/")):
            built[path] = content
    paths = inlined.files.keys() | built.keys()
    differing = {path for path in paths if inlined.files.get(path) != built.get(path)}
    assert differing == {
        "problem.yaml",
        "statement/problem.en.tex",
        "submissions/submissions.yaml",
    }
    theirs = yaml.safe_load(inlined.files["problem.yaml"])
    ours = yaml.safe_load(with_include.files["problem.yaml"])
    assert ours.pop("languages") == ["python3", "python3numpy"]
    assert theirs["limits"].pop("code") == ours["limits"].pop("code") + kattis.DRIVER_CODE
    assert theirs == ours
    requirements = yaml.safe_load(with_include.files["submissions/submissions.yaml"])
    assert {k.removesuffix(".py"): v for k, v in requirements.items()} == yaml.safe_load(
        inlined.files["submissions/submissions.yaml"]
    )


def test_both_statements_are_the_same_text(made):
    files = made("kattis-2023-07-draft").files.files
    other = made("kattis-2025-09").files.files
    path = "encoderblock/statement/problem.en.md"
    assert files[path] == other[path]


# ------------------------------------------------------------------------------- containers


@pytest.mark.parametrize("name", ["gradescope", "prairielearn"])
def test_a_container_gets_judge_bundle_and_wheels(name, made, described):
    root = {"gradescope": "autograder", "prairielearn": "encoder-block/tests"}[name]
    part = made(name).files.below(root)
    for case in described.cases:
        assert part.files[f"bundle/testcases/{case.entry.name}.in.json"] == case.input
    assert "judge/runner.py" in part.files
    assert not any(
        path.startswith(("judge/authoring", "judge/web", "judge/cli")) for path in part.files
    )
    wheels = [path for path in part.files if path.startswith("wheels/")]
    assert any("numpy" in path for path in wheels) == (name == "gradescope")
    programs = {"gradescope": {"setup.sh", "run_autograder"}, "prairielearn": {"run.sh"}}[name]
    assert part.programs == programs


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("gradescope", "known_submissions/expected.csv"),
        ("prairielearn", "encoder-block/submitted_code_samples/expected.csv"),
    ],
)
def test_known_submissions_come_with_what_must_be_said_of_them(name, table, made, described):
    files = made(name).files.files
    rows = list(csv.DictReader(io.StringIO(files[table].decode())))
    assert [row["verdict"] for row in rows] == [known.verdict for known in described.known]
    folder = table.rpartition("/")[0]
    for row, known in zip(rows, described.known, strict=True):
        assert files[f"{folder}/{row['submission']}/encoder_block.py"] == known.source


def test_a_prairielearn_question_is_what_its_schema_says(made, described):
    info = json.loads(made("prairielearn").files.files["encoder-block/info.json"])
    # The keys of PrairieLearn's infoQuestion schema, which allows no others.
    assert info.keys() <= {
        "comment", "uuid", "type", "title", "topic", "tags", "authors", "clientFiles",
        "clientTemplates", "template", "gradingMethod", "singleVariant", "showCorrectAnswer",
        "partialCredit", "options", "externalGradingOptions", "dependencies", "workspaceOptions",
        "sharingSets", "sharePublicly", "shareSourcePublicly", "preferences",
    }  # fmt: skip
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", info["uuid"])
    assert info["type"] == "v3"
    assert info["gradingMethod"] == "External"
    grading = info["externalGradingOptions"]
    assert grading.keys() <= {
        "comment", "enabled", "image", "entrypoint", "serverFilesCourse", "timeout",
        "enableNetworking", "environment",
    }  # fmt: skip
    assert not grading["enableNetworking"]
    limits = described.problem.limits
    assert limits.import_time + limits.total_time < grading["timeout"] <= 600


def test_a_prairielearn_question_shows_statement_editor_and_results(made, described):
    page = made("prairielearn").files.files["encoder-block/question.html"].decode()
    assert 'file-name="encoder_block.py"' in page
    assert "<pl-external-grader-results>" in page
    assert "<math" in page
    assert "Example 4: two heads" in page
    assert "{{" not in page
    for case in described.public:
        assert f'file-name="{case.short}.in.json"' in page


def test_wheels_that_the_lock_does_not_name_are_refused(described, wheels):
    with pytest.raises(BundleError, match=r"is not the one that requirements\.lock names"):
        make(described, "gradescope", Options(wheels=wheels))


def test_a_missing_wheel_and_an_unknown_python_are_named(unlocked, tmp_path):
    with pytest.raises(BundleError, match=r"has no wheel msgspec-.*-cp312"):
        make(unlocked, "gradescope", Options(pythons=("3.12",), wheels=tmp_path))
    with pytest.raises(BundleError, match=r"3\.9 is none of 3\.11"):
        make(unlocked, "gradescope", Options(pythons=("3.9",), wheels=tmp_path))


# ------------------------------------------------------------------------------- handout


def test_the_handout_is_a_bundle_without_secrets(made, tmp_path, described):
    package = made("handout").files.below("encoder-block")
    for path, content in package.files.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    problem = Problem.load(tmp_path)
    manifest = load_manifest(problem)
    assert problem.seed == manifest.seed == 0
    assert [group.name for group in problem.groups] == ["sample", "counterexample"]
    cases = load_cases(problem)
    assert len(cases) == len(manifest.cases)
    assert [case.name for case in cases[:4]] == [case.entry.name for case in described.public]
    for key in ("function", "tolerance", "limits", "constraints", "hints", "name", "license"):
        assert getattr(problem, key) == getattr(described.problem, key)


def test_the_handout_has_every_counterexample_but_one_with_a_secret_answer(made, tmp_path):
    names = [f"counterexample/{name}" for name in load_counterexamples(Problem.load(ROOT))]
    files = made("handout").files.below("encoder-block").files
    assert all(f"testcases/{name}.in.json" in files for name in names)
    # The generator makes none that is a secret case; a bundle may have got one in another way.
    folder = copy_bundle(tmp_path / "bundle")
    problem = Problem.load(folder)
    (secret,) = load_cases(problem, ["secret/one-of-everything"])
    keys = [parameter.name for parameter in problem.function.parameters]
    inputs = dict(zip(keys, secret.inputs, strict=True))
    shown = load_counterexamples(problem)["no-relu"]
    examples = [shown, Counterexample("no-scale", inputs, secret.expected)]
    data = encode_counterexamples(problem, examples, "")
    (folder / "testcases" / COUNTEREXAMPLES).write_bytes(data)
    handout = make(gather(problem), "handout").files.below("encoder-block").files
    found = [name for name in handout if name.startswith("testcases/counterexample/")]
    assert found == [f"testcases/counterexample/no-relu.{part}.json" for part in ("in", "ans")]
    assert b"no-scale" not in handout[f"testcases/{COUNTEREXAMPLES}"]


def test_the_handout_has_no_reference_no_mistakes_and_no_generator(made, described):
    package = made("handout").files.below("encoder-block")
    names = set(package.files)
    assert not any(n.startswith(("reference/", "submissions/")) for n in names)
    assert not any(n.startswith("generator/") and not n.endswith(".svg") for n in names)
    known = {known.source for known in described.known if known.verdict in (Verdict.AC, Verdict.WA)}
    assert known.isdisjoint(package.files.values())
    seed = str(described.problem.seed).encode()
    for name, content in package.files.items():
        assert seed not in content, name


# ------------------------------------------------------------------------------- faults


def test_a_bundle_that_lacks_parts_says_so_at_once(bundle):
    (bundle / "starter" / "encoder_block.py").unlink()
    with pytest.raises(BundleError) as caught:
        gather(Problem.load(bundle))
    text = str(caught.value)
    assert "statement.md: the file is missing; render it with: judge statement" in text
    assert "starter/encoder_block.py: the file is missing" in text
    assert "LICENSE: the file is missing" in text


def test_a_submission_that_nothing_is_expected_of_is_a_fault(bundle):
    for name in ("statement.md", "LICENSE"):
        (bundle / name).write_text("# x\n")
    folder = bundle / "submissions" / "unknown"
    folder.mkdir()
    (folder / "x.py").write_text("x = 1\n")
    with pytest.raises(BundleError, match=r"expected\.yaml: says nothing of unknown/x\.py"):
        gather(Problem.load(bundle))


def test_every_module_is_a_target():
    assert len(MODULES) == len(NAMES)


def test_known_mistakes_must_be_rejected(described):
    mistakes = [known for known in described.known if "/mistake_" in known.path]
    assert len(mistakes) > 20
    assert {known.verdict for known in mistakes} == {Verdict.WA}
