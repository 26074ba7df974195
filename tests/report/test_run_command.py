"""`judge run`: what it takes, where its reports go, and what its exit code says."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from judge.cli import options, output
from judge.cli.reporter import warn_of_weak_isolation
from judge.runner import Judge
from judge.testcases import load_cases
from judge.verdicts import Isolation, Verdict
from tests.conftest import ROOT
from tests.report.commands import run
from tests.report.conftest import REFERENCE
from tests.report.reports import accepted, report

TINY = ROOT / "tests" / "bundles" / "tiny"
SAMPLES = 4


def test_the_reference_is_accepted_with_exit_code_0(judge):
    done = judge("run", REFERENCE, "--format", "json")
    assert done.code == 0
    assert done.document["verdict"] == "AC"
    assert done.document["passed"] == done.document["total"] > 30


def test_the_starter_is_told_that_it_returned_none(judge):
    done = judge("run", ROOT / "starter" / "encoder_block.py", "--group", "sample")
    assert done.code == 1
    assert done.out.startswith("WA")
    assert "None" in done.out


def test_a_wrong_answer_is_told_with_its_numbers_and_its_mistake(judge, wrong):
    done = judge("run", wrong)
    assert done.code == 1
    for part in ("expected", "got", "times the tolerance", "elements are off", "Looks like: eps"):
        assert part in done.out


def test_several_files_give_a_line_of_json_each_in_their_order(judge, wrong):
    done = judge("run", wrong, REFERENCE, "--group", "sample", "--format", "json")
    documents = [json.loads(line) for line in done.out.splitlines()]
    assert [d["submission"] for d in documents] == [str(wrong), str(REFERENCE)]
    assert [d["verdict"] for d in documents] == ["WA", "AC"]
    assert done.code == 1


def test_several_files_give_one_junit_document(judge, wrong):
    done = judge("run", wrong, REFERENCE, "--group", "sample", "--format", "junit")
    suites = ET.fromstring(done.out)
    assert [suite.get("failures") for suite in suites] == [str(SAMPLES), "0"]


def test_several_files_give_a_page_each(judge, wrong, tmp_path):
    pages = tmp_path / "new" / "pages"
    done = judge("run", wrong, REFERENCE, wrong, "--group", "sample", "--format=html", "-o", pages)
    assert sorted(page.name for page in pages.iterdir()) == [
        "encoder_block.html", "wrong-2.html", "wrong.html"
    ]  # fmt: skip
    assert done.out == ""
    assert "accepted" in (pages / "encoder_block.html").read_text(encoding="utf-8")


def test_several_pages_do_not_fit_one_stream(judge, wrong):
    done = judge("run", wrong, REFERENCE, "--format", "html")
    assert done.code == 2
    assert "--output FOLDER" in done.err


def test_standard_input_is_judged(judge, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(REFERENCE.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    done = judge("run", "-", "--group", "sample", "--format", "json")
    assert done.code == 0
    assert done.document["submission"] == "standard input"


def test_missing_files_and_folders_are_all_told_and_nothing_is_judged(judge, tmp_path):
    missing = ROOT / "starter" / "encoder_blok.py"
    done = judge("run", REFERENCE, missing, tmp_path, "no/such/folder/x.py")
    assert done.code == 2
    assert done.out == ""
    assert 'did you mean "encoder_block.py"?' in done.err
    assert "this is a folder" in done.err
    assert "no/such/folder/x.py: there is no such file" in done.err


def test_a_name_that_is_not_utf8_is_no_obstacle(judge, tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.py"
    Path(os.fsdecode(path)).write_bytes(REFERENCE.read_bytes())
    done = judge("run", os.fsdecode(path), "--group", "sample", "--format", "json")
    assert done.code == 0
    assert done.document["submission"].endswith("caf\N{REPLACEMENT CHARACTER}.py")


def test_a_group_selects_its_cases(judge):
    done = judge("run", REFERENCE, "--group", "sample", "--format", "json")
    assert {case["group"] for case in done.document["cases"]} == {"sample"}


def test_cases_are_selected_by_name_and_pattern(judge):
    chosen = ["--case", "two-heads", "--case", "secret/one-*"]
    done = judge("run", REFERENCE, *chosen, "--format", "json")
    names = [case["name"] for case in done.document["cases"]]
    assert names[0] == "sample/two-heads"
    assert len(names) > 3
    assert all(name.startswith("secret/one-") for name in names[1:])


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (["--group", "smaple"], 'did you mean "sample"?'),
        (["--case", "two-heds"], 'did you mean "two-heads"?'),
        (["--group", "sample", "--case", "near-eps-rows"], 'no case is called "near-eps-rows"'),
    ],
)
def test_a_selection_of_nothing_is_an_error(judge, selection, message):
    done = judge("run", REFERENCE, *selection)
    assert done.code == 2
    assert message in done.err


def test_fail_fast_leaves_the_rest(judge, wrong):
    done = judge("run", wrong, "--fail-fast", "--format", "json")
    verdicts = [case["verdict"] for case in done.document["cases"]]
    assert verdicts.count("WA") == 1
    assert verdicts.count("not-run") > 30


def test_a_report_goes_to_a_file_and_the_verdict_to_the_terminal(judge, wrong, tmp_path):
    path = tmp_path / "report.json"
    done = judge("run", wrong, "--group", "sample", "--format", "json", "--output", path)
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("WA")
    assert json.loads(path.read_bytes())["verdict"] == "WA"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_text_report_in_a_file_has_no_colours(judge, wrong, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    judge("run", wrong, "--group", "sample", "-o", tmp_path / "report.txt")
    assert "\x1b" not in (tmp_path / "report.txt").read_text(encoding="utf-8")


def test_a_place_that_can_not_be_written_is_told_before_anything_is_judged(judge, tmp_path):
    for path in (tmp_path, tmp_path / "no" / "report.txt"):
        done = judge("run", REFERENCE, "--output", path)
        assert done.code == 2
        assert str(path) in done.err


def test_a_full_disk_is_no_verdict(judge):
    done = judge("run", REFERENCE, "--group", "sample", "--output", "/dev/full")
    assert done.code == 2
    assert "No space left" in done.err


def test_nothing_is_left_of_a_file_that_could_not_be_written_whole(tmp_path, monkeypatch):
    path = tmp_path / "report.txt"
    path.write_text("before")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        output.write_file(path, b"after")
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.txt"]


def test_a_broken_bundle_is_told_with_every_fault(judge, bundle):
    text = (bundle / "problem.yaml").read_text(encoding="utf-8")
    broken = text.replace("time_limit:", "time_limt:").replace("uuid:", "uid:")
    (bundle / "problem.yaml").write_text(broken, encoding="utf-8")
    done = judge("run", REFERENCE, "--problem", bundle)
    assert done.code == 2
    assert 'did you mean "time_limit"?' in done.err
    assert "uuid: this key is missing" in done.err
    assert "Traceback" not in done.err


def test_where_there_is_no_bundle_the_option_is_named(judge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = judge("run", REFERENCE)
    assert done.code == 2
    assert "--problem" in done.err


def test_a_fault_of_the_judges_own_is_no_verdict(judge, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("not foreseen")

    monkeypatch.setattr(Judge, "execute", fail)
    done = judge("run", REFERENCE)
    assert done.code == 3
    assert "a fault of the judge's own" in done.err


@pytest.mark.parametrize("output_format", ["text", "json", "junit", "html"])
def test_another_bundle_is_reported_in_every_format(judge, output_format):
    path = TINY / "submissions" / "wrong_answer" / "ignores_signs.py"
    done = judge("run", path, "--problem", TINY, "--format", output_format)
    assert done.code == 1
    assert "signs-dropped" in done.out
    assert "attention" not in done.out


def test_exit_codes_say_the_worst_of_all():
    assert options.exit_code([Verdict.AC]) == 0
    assert options.exit_code([Verdict.AC, Verdict.TLE]) == 1
    assert options.exit_code([Verdict.CE, Verdict.JE, Verdict.AC]) == 3


def test_weak_isolation_is_one_line_and_complete_isolation_none(capsys):
    warn_of_weak_isolation(report([accepted("sample/x")]))
    assert capsys.readouterr().err == ""
    warn_of_weak_isolation(report([accepted("sample/x")], isolation=Isolation(["no-network"])))
    warning = capsys.readouterr().err
    assert warning.count("\n") == 1
    assert "answers-unreadable" in warning
    assert "no-network" not in warning


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "environment", "terminal", "wanted"),
    [
        (None, {}, True, True),
        (None, {}, False, False),
        (None, {"TERM": "dumb"}, True, False),
        (None, {"NO_COLOR": "1"}, True, False),
        (None, {"FORCE_COLOR": "1"}, False, True),
        (None, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        (None, {"NO_COLOR": ""}, True, True),
        (True, {"NO_COLOR": "1"}, False, True),
        (False, {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colours_are_for_terminals_and_those_who_ask(
    monkeypatch, choice, environment, terminal, wanted
):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = Terminal() if terminal else io.StringIO()
    assert options.wants_color(choice, stream) is wanted


def modules_loaded(submission, *arguments) -> set[str]:
    program = (
        "import sys\n"
        "from judge.cli import _run\n"
        f"_run(['run', {str(submission)!r}, *{arguments!r}])\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, timeout=100, cwd=ROOT
    )
    return set(done.stderr.decode().split())


IMPORTED = {
    "judge": {
        "arrays", "attempt", "bundle", "cache", "calls", "casefiles", "cli", "compare",
        "constraints", "faults", "prepared", "problem", "report", "runner", "sandbox", "signature",
        "source", "testcases", "verdicts", "wording",
    },
    "click": set(), "msgspec": set(),
}  # fmt: skip
"""What `judge run --format json` imports beside the standard library, and the rooms of `judge`."""

# msgspec looks for typing_extensions, and does without.
ENVIRONMENT = {
    "__main__", "sitecustomize", "usercustomize", "_distutils_hack", "typing_extensions",
}  # fmt: skip


def test_an_accepted_submission_is_reported_without_anything_heavy():
    # The first run may have to read the bundle's files.
    for _ in range(2):
        loaded = modules_loaded(ROOT / "reference" / "encoder_block.py", "--format", "json")
    tops = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert tops - ENVIRONMENT == IMPORTED.keys()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("judge.")}
    assert rooms == IMPORTED["judge"]


def test_what_is_slow_to_import_is_left_to_those_who_need_it(wrong):
    accepted = modules_loaded(ROOT / "reference" / "encoder_block.py", "--format", "json")
    slow = {"subprocess", "tempfile", "shutil", "secrets", "dataclasses", "difflib", "traceback"}
    assert accepted & slow == set()
    heavy = {"rich", "jinja2", "flint", "nicegui", "distributed", "matplotlib", "watchfiles"}
    tops = {name.partition(".")[0] for name in modules_loaded(wrong, "--format", "json")}
    assert tops & heavy == set()


SMUGGLER = """
import sys
import warnings


def encoder_block(x, *rest):
    data = repr(x.ravel().tolist())
    print("printed", data)
    print("printed", data, file=sys.stderr)
    warnings.warn(data)
    kept.append(data)
    raise type("Own" + x.tobytes().hex()[:40], (Exception,), {})("message " + " ".join(kept))


kept = []
"""


@pytest.mark.parametrize("output_format", ["text", "json", "junit", "html"])
def test_a_learner_gets_no_input_of_a_secret_case_by_any_way_out(
    judge, write, problem, output_format
):

    done = judge("run", write(SMUGGLER), "-v", "--audience", "learner", "--format", output_format)
    assert done.code == 1
    for case in load_cases(problem):
        x = case.inputs[0]
        traces = (repr(x.ravel().tolist())[1:40], x.tobytes().hex()[:40])
        seen = [trace for trace in traces if trace in done.out + done.err]
        assert bool(seen) == (case.group == "sample"), case.name


def test_an_author_sees_what_was_printed_and_raised(judge, write):
    done = judge("run", write(SMUGGLER), "-v", "--case", "secret/near-eps-rows")
    assert "printed [" in done.out
    assert "Own" in done.out


def test_a_closed_output_still_has_an_exit_code(wrong):
    done = run("run", wrong, "--group", "sample", preexec_fn=lambda: os.close(1))
    assert done.code == 1
    assert done.err == ""
