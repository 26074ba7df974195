"""What the bytes of a file tell before anything runs."""

from __future__ import annotations

import codecs
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.source import check_source, read_source
from judge.verdicts import Reason

LIMIT = 1024
FUNCTION = b"def f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.EMPTY),
        (b" \n\t\n", Reason.EMPTY),
        (FUNCTION + b"#" * LIMIT, Reason.SIZE),
        (FUNCTION + b"\0", Reason.BINARY),
        (b"PK\x03\x04rest", Reason.BINARY),
        (b"%PDF-1.7", Reason.BINARY),
        (b"\x93NUMPY\x01\x00", Reason.BINARY),
        (FUNCTION.decode().encode("utf-16"), Reason.ENCODING),
        (FUNCTION.decode().encode("utf-16-le"), Reason.BINARY),
        ("# café\n".encode("latin-1") + FUNCTION, Reason.ENCODING),
        (b"# coding: utf-7\n" + FUNCTION, Reason.ENCODING),
        (b"#!/usr/bin/python3\n# vim: set fileencoding=rot13 :\n" + FUNCTION, Reason.ENCODING),
        ("# coding: latin-1\n# é\n".encode() + FUNCTION, Reason.ENCODING),
        (json.dumps({"cells": [], "metadata": {}, "nbformat": 4}).encode(), Reason.NOTEBOOK),
        (codecs.BOM_UTF8 + b'{"nbformat": 4, "cells": [{}]}', Reason.NOTEBOOK),
    ],
)
def test_what_is_no_python_file_is_told_by_its_reason(data: bytes, reason: Reason) -> None:
    found = check_source(data, LIMIT)
    assert found is not None
    assert found.reason is reason


@pytest.mark.parametrize(
    "data",
    [
        FUNCTION,
        codecs.BOM_UTF8 + FUNCTION,
        FUNCTION.replace(b"\n", b"\r\n"),
        "# coding: utf-8\ns = 'é'\n".encode(),
        b"# -*- coding: UTF-8 -*-\n" + FUNCTION,
        b"# coding: latin-1\n" + FUNCTION,
        b"# coding: cp1252\n" + FUNCTION,
        b"x = 1\n\n# coding: utf-7 in the third line means nothing\n" + FUNCTION,
        b"x = 1\n# coding: utf-7 after code means nothing\n" + FUNCTION,
        b'{"cells": 3}\n',
        b"{}",
        b"#" * LIMIT,
    ],
)
def test_what_may_be_a_python_file_goes_on(data: bytes) -> None:
    assert check_source(data, LIMIT) is None


@given(st.binary(max_size=300))
def test_any_bytes_have_an_answer_and_what_goes_on_is_text_without_nul(data: bytes) -> None:
    if check_source(data, LIMIT) is None:
        assert "\0" not in data.decode("utf-8")


def test_the_line_of_a_wrong_byte_is_named() -> None:
    found = check_source(b"a = 1\nb = '\xff'\n", LIMIT)
    assert found is not None
    assert found.line == 2
    assert "line 2" in found.message
    assert "0xff" in found.message


def test_no_more_is_read_than_the_limit_and_one(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_bytes(b"x" * 10_000)
    assert len(read_source(file, LIMIT)) == LIMIT + 1


def test_what_is_no_file_is_an_error_rather_than_a_verdict(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_source(tmp_path / "missing.py", LIMIT)
    with pytest.raises(IsADirectoryError):
        read_source(tmp_path, LIMIT)
    with pytest.raises(OSError, match="not a regular file"):
        read_source(Path("/dev/zero"), LIMIT)


def test_a_pipe_that_nobody_writes_to_does_not_hold_the_judge_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(OSError, match="not a regular file"):
        read_source(tmp_path / "pipe.py", LIMIT)
