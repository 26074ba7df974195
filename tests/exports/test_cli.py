"""`judge export` as people use it."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import zipfile

from tests.conftest import ROOT


def judge(*arguments: str, **options):
    command = [sys.executable, "-m", "judge", "export", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False, **options
    )


def test_a_package_is_written_with_its_zip_and_a_mark(tmp_path):
    done = judge("bapctools", "--output", str(tmp_path / "out"), "--zip")
    assert done.returncode == 0, done.stderr
    mark = json.loads((tmp_path / "out" / "export.json").read_text())
    assert mark["target"] == "bapctools"
    assert mark["bundle"].startswith("sha256:")
    with zipfile.ZipFile(tmp_path / "out" / "encoderblock.zip") as archive:
        text = archive.read("encoderblock/problem.yaml")
    assert text == (tmp_path / "out" / "encoderblock" / "problem.yaml").read_bytes()
    assert "left out, because the target can't express it" in done.stdout


def test_a_second_export_replaces_the_first(tmp_path):
    out = tmp_path / "out"
    assert judge("bapctools", "--output", str(out)).returncode == 0
    (out / "encoderblock" / "stray").write_text("x")
    assert judge("kattis-2025-09", "--output", str(out)).returncode == 0
    assert not (out / "encoderblock" / "stray").exists()
    assert (out / "encoderblock" / "include").is_dir()


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = judge("handout", "--output", str(tmp_path))
    assert done.returncode == 2
    assert "holds other files (no export.json)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_programs_are_executable(tmp_path, wheels, unlocked):
    done = judge(
        "gradescope", "--output", str(tmp_path / "out"), "--wheels", str(wheels),
        "--problem", str(unlocked.problem.folder),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    mode = (tmp_path / "out" / "autograder" / "run_autograder").stat().st_mode
    assert mode & stat.S_IXUSR


def test_an_unknown_target_is_answered_with_the_nearest_one():
    done = judge("gradscope")
    assert done.returncode == 2
    assert 'did you mean "gradescope"?' in done.stderr
    assert "Traceback" not in done.stderr


def test_help_lists_every_target():
    done = judge("--help")
    for name in ("kattis-2025-09", "kattis-2023-07-draft", "bapctools", "gradescope",
                 "prairielearn", "handout"):  # fmt: skip
        assert f"\n  {name} " in done.stdout
