"""The cache of bundles: it saves time, and nobody can tell it from reading the files."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from judge import bundle as module
from judge.bundle import answer_files, cached_bundle, load_bundle
from judge.faults import BundleError
from judge.problem import Problem
from judge.testcases import TestCase, load_cases, load_manifest
from tests.conftest import ROOT

TINY = ROOT / "tests" / "bundles" / "tiny"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "encoder-block-judge" / "bundles"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TINY, tmp_path / "tiny"))


def refuse_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the files were read and checked")

    for name in ("load_cases", "load_manifest"):
        monkeypatch.setattr(module, name, refuse)
    monkeypatch.setattr(Problem, "load", refuse)


@pytest.mark.parametrize("folder", [ROOT, TINY], ids=["the problem", "tiny"])
def test_what_comes_from_the_cache_is_what_the_files_say(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem.load(folder)
    manifest, cases = load_manifest(problem), load_cases(problem)
    first = load_bundle(folder)
    refuse_files(monkeypatch)
    for found in (first, load_bundle(folder)):
        assert found.problem == problem
        assert found.problem.folder == folder
        assert found.manifest == manifest
        assert [msgspec.structs.astuple(case) for case in found.cases] == [
            msgspec.structs.astuple(case) for case in cases
        ]
        types = [[type(value) for value in case.arguments] for case in found.cases]
        assert types == [[type(value) for value in case.arguments] for case in cases]


def test_it_is_for_its_owner_alone(tiny: Path, cache: Path) -> None:
    load_bundle(tiny)
    (path,) = cache.iterdir()
    assert path == cached_bundle(tiny)
    assert {path, *(tiny / "testcases").rglob("*.ans.json")} <= set(answer_files(tiny))
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_edited_answer_is_seen(tiny: Path) -> None:
    load_bundle(tiny)
    (answer, *_) = sorted((tiny / "testcases").rglob("*.ans.json"))
    answer.write_bytes(answer.read_bytes() + b" ")
    for _ in range(2):
        with pytest.raises(BundleError, match="edited or cut short"):
            load_bundle(tiny)


def test_a_missing_file_is_seen(tiny: Path) -> None:
    load_bundle(tiny)
    (given, *_) = sorted((tiny / "testcases").rglob("*.in.json"))
    given.unlink()
    with pytest.raises(BundleError, match="is missing"):
        load_bundle(tiny)


def test_an_edited_problem_is_seen(tiny: Path) -> None:
    load_bundle(tiny)
    path = tiny / "problem.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "\nhints: [Another one.]\n", "utf-8")
    assert load_bundle(tiny).problem.hints == ["Another one."]


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 100])
def test_a_damaged_entry_is_made_anew(tiny: Path, damage: bytes) -> None:
    whole = load_bundle(tiny)
    path = cached_bundle(tiny)
    good = path.read_bytes()
    path.write_bytes(damage + good[len(damage) :] if damage else damage)
    assert load_bundle(tiny).manifest == whole.manifest
    assert path.read_bytes() == good


def test_where_nothing_can_be_kept_nothing_fails(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load_bundle(tiny).cases


def test_a_user_without_a_home_keeps_nothing(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    assert load_bundle(tiny).cases
    assert not cached_bundle(tiny).exists()


def test_what_was_written_while_it_was_read_is_not_kept(
    tiny: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tiny / "problem.yaml"
    text = path.read_text(encoding="utf-8")

    def load_meanwhile(problem: Problem) -> list[TestCase]:
        path.write_text(f"{text}\nhints: [Another one.]\n", encoding="utf-8")
        return load_cases(problem)

    monkeypatch.setattr(module, "load_cases", load_meanwhile)
    load_bundle(tiny)
    assert not cache.exists()


def test_old_entries_go(tiny: Path, cache: Path) -> None:
    path = tiny / "problem.yaml"
    text = path.read_text(encoding="utf-8")
    for number in range(12):
        path.write_text(f"{text}\n# {number}\n", encoding="utf-8")
        load_bundle(tiny)
    assert len(list(cache.iterdir())) == 8
    assert cached_bundle(tiny).exists()
