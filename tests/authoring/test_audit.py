"""`judge audit`: other people's graders before right and wrong submissions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from judge.cli import _run
from tests.conftest import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "test_with_allclose.py"
ALLCLOSE = [
    "env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", "SUBMISSION={file}",
    sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", str(EXAMPLE),
]  # fmt: skip


def only(*names: str) -> list[str]:
    return [word for name in names for word in ("--only", name)]


def grader(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "grade.py"
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path), "{file}"]


def test_a_plain_pytest_grader_with_allclose_lets_small_mistakes_through(capsys):
    chosen = only(
        "eps-outside-root", "eps-1e-5", "rounded-8", "batches-mixed", "pre-norm", "loops.py"
    )
    assert _run(["audit", *chosen, "--", *ALLCLOSE]) == 1
    said = capsys.readouterr().out
    assert "accepts 4 of 5 mistakes:" in said
    for mistake in ("eps-outside-root", "eps-1e-5", "rounded-8", "batches-mixed"):
        assert f"  {mistake} " in said
    assert "pre-norm" not in said.partition("accepts 4")[2]
    assert "accepts all 1 right submissions" in said


def test_a_plain_grader_rejects_a_right_submission_with_dataclasses(capsys):
    # Its loader leaves the module out of sys.modules, where dataclasses look for it.
    assert _run(["audit", *only("dataclass_parameters.py"), "--", *ALLCLOSE]) == 1
    assert "rejects 1 of 1 right submissions:" in capsys.readouterr().out


def test_a_grader_that_tells_them_apart_gets_code_0(tmp_path, capsys):
    text = "import sys\nsys.exit('np.maximum' not in open(sys.argv[1]).read())\n"
    chosen = only("no-relu", "encoder_block.py")
    assert _run(["audit", *chosen, "--", *grader(tmp_path, text)]) == 0
    assert "rejects all 1 mistakes" in capsys.readouterr().out


def test_a_grader_that_rejects_right_ones_is_told(tmp_path, capsys):
    command = grader(tmp_path, "raise SystemExit(1)\n")
    assert _run(["audit", *only("no-relu", "loops.py"), "--", *command]) == 1
    said = capsys.readouterr().out
    assert "rejects 1 of 1 right submissions:" in said
    assert "submissions/accepted/loops.py" in said


def test_a_pattern_in_the_output_can_decide(tmp_path, capsys):
    text = "import sys\nprint('score:', 100 if 'np.maximum' in open(sys.argv[1]).read() else 0)\n"
    chosen = only("no-relu", "encoder_block.py")
    command = ["audit", "--accepts", "^score: 100$", "--format", "json", *chosen, "--"]
    assert _run([*command, *grader(tmp_path, text)]) == 0
    found = json.loads(capsys.readouterr().out)["submissions"]
    assert [(f["name"], f["outcome"]) for f in found] == [
        ("reference/encoder_block.py", "accepted"),
        ("no-relu", "rejected"),
    ]


def test_the_file_has_the_name_that_the_problem_asks_for(tmp_path):
    text = "import sys\nsys.exit(not sys.argv[1].endswith('/encoder_block.py'))\n"
    assert _run(["audit", *only("loops.py"), "--", *grader(tmp_path, text)]) == 0


def test_a_grader_that_hangs_is_ended_with_its_children(tmp_path, capsys):
    marker = tmp_path / "alive"
    text = f"""import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)  # {marker}"])
time.sleep(600)
"""
    command = ["audit", "--timeout", "1", *only("loops.py"), "--", *grader(tmp_path, text)]
    assert _run(command) == 1
    assert "submissions/accepted/loops.py (timed out)" in capsys.readouterr().out
    running = [
        path
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if str(marker) in _read(path) and _state(path.parent) != "Z"
    ]
    assert running == []


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _state(folder: Path) -> str:
    return _read(folder / "stat").rpartition(")")[2].split()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--", "true"], "the command needs {file} where the submission's path goes"),
        (
            ["--only", "pre-norms", "--", "true", "{file}"],
            "no mistake or right submission is called",
        ),
        (["--accepts", "(", "--", "true", "{file}"], "not a regular expression"),
        (["--only", "pre-norm", "--", "/no/such/grader", "{file}"], "can't be started"),
    ],
)
def test_wrong_use_is_told(arguments, message, capsys):
    assert _run(["audit", *arguments]) == 2
    assert message in capsys.readouterr().err
