import io
import stat
import zipfile

import pytest

from judge.authoring.export.tree import Tree, tree_of


def test_a_zip_has_the_same_bytes_whatever_the_order_in_which_files_came():
    files = {"b/run.sh": "#!/bin/sh\n", "a.txt": "one", "b/a.txt": b"\0\1"}
    first = tree_of(files, programs=["b/run.sh"]).zip()
    second = tree_of(dict(reversed(files.items())), programs=["b/run.sh"]).zip()
    assert first == second


def test_a_zip_has_fixed_times_sorted_names_and_the_modes_of_programs():
    data = tree_of({"z": "z", "run": "#!/bin/sh\n"}, programs=["run"]).zip()
    entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
    assert [entry.filename for entry in entries] == ["run", "z"]
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    modes = [stat.S_IMODE(entry.external_attr >> 16) for entry in entries]
    assert modes == [0o755, 0o644]


def test_a_path_is_written_once():
    tree = Tree()
    tree.add("a", "1")
    with pytest.raises(ValueError, match="a would be written twice"):
        tree.add("a", "2")


def test_a_part_of_a_tree_keeps_contents_and_modes():
    tree = tree_of({"x/run": "1", "x/y/z": "2", "xy/z": "3"}, programs=["x/run"])
    part = tree.below("x")
    assert part.files == {"run": b"1", "y/z": b"2"}
    assert part.programs == {"run"}
