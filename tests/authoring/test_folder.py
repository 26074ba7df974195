"""A folder of test cases is replaced whole or not at all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from judge.authoring.generate.folder import locked, write_folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_new_folder_holds_exactly_the_files(tmp_path):
    files = {"manifest.json": b"{}", "sample/one.in.json": b"1"}
    assert write_folder(tmp_path / "testcases", files) == sorted(files)
    assert content(tmp_path) == {f"testcases/{name}": data for name, data in files.items()}


def test_what_is_gone_changed_and_new_is_named_and_nothing_else_stays(tmp_path):
    target = tmp_path / "testcases"
    write_folder(target, {"a": b"1", "b": b"1", "c/d": b"1"})
    assert write_folder(target, {"b": b"2", "c/d": b"1", "e": b"1"}) == ["a", "b", "e"]
    assert content(tmp_path) == {
        "testcases/b": b"2",
        "testcases/c/d": b"1",
        "testcases/e": b"1",
    }


def test_equal_content_is_not_written_again(tmp_path):
    target = tmp_path / "testcases"
    write_folder(target, {"a": b"1"})
    before = (target / "a").stat()
    assert write_folder(target, {"a": b"1"}) == []
    assert (target / "a").stat().st_ino == before.st_ino


def test_a_failure_half_way_leaves_the_old_folder_as_it_was(tmp_path):
    target = tmp_path / "testcases"
    write_folder(target, {"a": b"old"})
    # A file can't also be a folder: the second write fails after the first one happened.
    with pytest.raises(OSError, match="x"):
        write_folder(target, {"x": b"new", "x/y": b"new"})
    assert content(tmp_path) == {"testcases/a": b"old"}


def test_others_may_read_what_was_written(tmp_path):
    write_folder(tmp_path / "testcases", {"sample/a": b"1"})
    modes = [path.stat().st_mode & 0o444 for path in (tmp_path / "testcases").rglob("*")]
    modes.append((tmp_path / "testcases").stat().st_mode & 0o444)
    assert modes == [0o444] * 3


def test_a_reader_finds_the_folder_at_every_moment_of_many_writes(tmp_path):
    target = tmp_path / "testcases"
    write_folder(target, {"a": b"0"})
    missing = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                (target / "a").read_bytes()
            except FileNotFoundError as error:
                missing.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1, 60):
        write_folder(target, {"a": str(number).encode()})
    done.set()
    reader.join()
    assert missing == []
    assert content(tmp_path) == {"testcases/a": b"59"}


def test_a_second_writer_waits_for_the_first(tmp_path):
    order = []
    inside = threading.Event()

    def second() -> None:
        inside.wait()
        with locked(tmp_path):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with locked(tmp_path):
        inside.set()
        thread.join(timeout=0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
