"""Submissions are found wherever a course's system puts them, and nothing is unpacked to disk."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest

from judge.batch.collect import collect, read_roster


def write(path: Path, text: str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def ids(collection) -> list[str]:
    return [found.id for found in collection.submissions]


def test_files_folders_and_zips_together(tmp_path):
    one = write(tmp_path / "one.py")
    folder = tmp_path / "handed-in"
    write(folder / "ada" / "solution.py")
    write(folder / "ada" / "notes.txt")
    write(folder / "__pycache__" / "solution.py")
    write(folder / ".git" / "hook.py")
    archive = tmp_path / "more.zip"
    archive.write_bytes(zipped({"bob/solution.py": b"y = 2\n", "__MACOSX/bob/solution.py": b""}))
    found = collect([one, folder, archive])
    assert ids(found) == ["ada/solution", "more.zip!bob/solution", "one"]
    assert found.skipped == (("ada/notes.txt", "no Python file"),)
    assert [f.read(100) for f in found.submissions] == [b"x = 1\n", b"y = 2\n", b"x = 1\n"]


def test_a_zip_in_a_zip_is_opened_and_one_deeper_is_not(tmp_path):
    deepest = zipped({"c.py": b"c"})
    inner = zipped({"b.py": b"b", "deeper.zip": deepest})
    path = tmp_path / "all.zip"
    path.write_bytes(zipped({"a.py": b"a", "inner.zip": inner}))
    found = collect([path])
    assert ids(found) == ["all.zip!a", "all.zip!inner.zip!b"]
    assert [f.read(9) for f in found.submissions] == [b"a", b"b"]
    assert found.skipped == (("all.zip!inner.zip!deeper.zip", "no Python file"),)


@pytest.mark.parametrize(
    ("regex", "wanted"),
    [
        (r"(?P<id>[a-z]+)_[0-9]+_", ["ada", "bob"]),
        (r"^([a-z]+)_", ["ada", "bob"]),
        (r"^[a-z]+", ["ada", "bob"]),
    ],
)
def test_the_regex_says_whose_a_file_is(tmp_path, regex, wanted):
    for name in ("ada_17_solution.py", "bob_18_solution.py"):
        write(tmp_path / name)
    assert ids(collect([tmp_path], re.compile(regex))) == wanted


def test_a_file_that_the_regex_does_not_match_is_named_and_judged_all_the_same(tmp_path):
    write(tmp_path / "ada_1.py")
    write(tmp_path / "17.py")
    found = collect([tmp_path], re.compile("^([a-z]+)_"))
    assert ids(found) == ["17", "ada"]
    assert found.skipped == (("17.py", "--id-regex matches nothing in it; it goes by its path"),)


@pytest.mark.parametrize(
    ("keep", "paths"), [("last", ["ada_2.py"]), ("first", ["ada_1.py"]), ("all", None)]
)
def test_of_several_files_of_one_person_the_last_by_name_counts_unless_told(tmp_path, keep, paths):
    write(tmp_path / "ada_1.py")
    write(tmp_path / "ada_2.py")
    found = collect([tmp_path], re.compile("^([a-z]+)"), keep)
    if keep == "all":
        assert ids(found) == ["ada (1)", "ada (2)"]
        assert found.replaced == ()
    else:
        assert [f.path for f in found.submissions] == paths
        assert len(found.replaced) == 1


def test_what_is_no_zip_is_named(tmp_path):
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    found = collect([tmp_path])
    assert found.submissions == ()
    assert found.skipped[0][0] == "broken.zip"
    assert "can't be opened as a zip" in found.skipped[0][1]


def test_no_more_is_read_than_asked_whatever_a_zip_holds(tmp_path):
    path = tmp_path / "bomb.zip"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.py", b"#" * (50 << 20))
    path.write_bytes(buffer.getvalue())
    [found] = collect([path]).submissions
    assert len(found.read(1000)) == 1001


def test_an_encrypted_member_is_an_error_of_reading(tmp_path):
    data = bytearray(zipped({"a.py": b"x"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    path = tmp_path / "secret.zip"
    path.write_bytes(bytes(data))
    [found] = collect([path]).submissions
    with pytest.raises(OSError, match=r"can't be read from the zip: .*encrypted"):
        found.read(100)


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        collect([tmp_path / "nowhere"])
    assert caught.value.filename == str(tmp_path / "nowhere")


def test_a_roster_is_one_id_a_line_or_a_first_column(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_bytes('\ufeff# course\nada,Ada L.\n"bob";Bob\n\ncleo\tC\n'.encode())
    assert read_roster(path) == ["ada", "bob", "cleo"]


def test_files_of_a_folder_come_in_order_and_no_linked_folder_is_entered(tmp_path):
    for name in ("a-b.py", "a/x.py", "a/b/y.py", "c.py", ".git/z.py", "d/__pycache__/w.py"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "in" / "linked").symlink_to(tmp_path / "in" / "a")
    found = collect([tmp_path / "in"]).submissions
    assert [one.path for one in found] == ["a-b.py", "a/b/y.py", "a/x.py", "c.py"]
    assert [one.read(9) for one in found] == [b"x = 1\n"] * 4
