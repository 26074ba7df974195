"""`judge verify` as a command."""

from __future__ import annotations

import json

import pytest

from judge.authoring.verify import gather
from judge.authoring.verify.registry import CHECKS
from judge.cli import _run
from tests.conftest import ROOT


def test_judge_verify_writes_page_and_kills_and_says_what_it_found(
    bundle, tmp_path, monkeypatch, capsys
):
    few = ["reference/encoder_block.py", "submissions/accepted/list_of_heads.py"]
    monkeypatch.setattr(gather, "accepted_files", lambda p: [p.folder / name for name in few])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (bundle / "submissions" / "wrong_answer" / "new.txt").write_text("", encoding="utf-8")
    (bundle / "problem.yaml").write_text(
        (ROOT / "problem.yaml").read_text(encoding="utf-8").replace("license: cc by", "license: x"),
        encoding="utf-8",
    )
    output = tmp_path / "out"
    code = _run(["verify", "--problem", str(bundle), "--output", str(output)])
    said = capsys.readouterr()
    assert code == 1
    assert "[licence]" in said.out
    assert f"wrote {output / 'index.html'} and kills.json" in said.err
    assert json.loads((output / "kills.json").read_text())["format"] == 1
    assert (output / "index.html").read_bytes().startswith(b"<!DOCTYPE html>")


def test_another_bundle_is_verified_by_the_same_checks(tmp_path, capsys):
    tiny = ROOT / "tests" / "bundles" / "tiny"
    assert _run(["verify", "--problem", str(tiny), "--output", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("2 known mistakes on 5 cases; ")
    assert "error: generator/families.py: the file is missing [up-to-date]" in said
    assert "error: secret/no-rows: its answer is below the tolerance: zeros would pass" in said
    document = json.loads((tmp_path / "kills.json").read_text())
    assert [m["id"] for m in document["mistakes"]] == ["signs-kept", "mean-instead-of-sum"]


def test_judge_verify_check_runs_and_writes_nothing(bundle, monkeypatch, capsys):
    monkeypatch.setattr(gather, "run_all", None)
    before = {path: path.stat().st_mtime_ns for path in bundle.rglob("*")}
    _run(["verify", "--problem", str(bundle), "--check"])
    assert f"{sum(not check.needs_runs for check in CHECKS)} checks: " in capsys.readouterr().out
    after = {p: p.stat().st_mtime_ns for p in bundle.rglob("*") if "__pycache__" not in p.parts}
    assert {p: t for p, t in after.items() if p.is_file()} == {
        p: t for p, t in before.items() if p.is_file()
    }


@pytest.mark.parametrize("options", [["--output", "x"], ["--format", "json"]])
def test_check_takes_no_output(options):
    assert _run(["verify", "--check", *options]) == 2
