"""Read a submission's file, and see from its bytes alone whether it can be a Python file."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path

import msgspec

from judge.verdicts import Reason

_MAGIC = {
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x7fELF": "a compiled program",
    b"MZ": "a Windows program",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# PEP 263: a comment in one of the first two lines.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UTF8 = re.compile(r"utf-?8(-sig|-unix|-dos|-mac)?|u8")
_SAME_IN_ASCII = re.compile(r"(us-)?ascii|latin-?1|iso-?8859-\d+|(cp|windows-)125\d|cp437|cp850")


class _Notebook(msgspec.Struct):
    cells: list[msgspec.Raw]
    nbformat: int


class Unusable(msgspec.Struct, frozen=True):
    """Why a file can't be loaded: a reason of `CE`, words for the learner, and the line if any."""

    reason: Reason
    message: str
    line: int | None = None


def read_source(path: Path, limit: int) -> bytes:
    """Read a submission's file.

    Args:
        path: the file.
        limit: bytes that the bundle allows; one more is read, and nothing beyond.

    Raises:
        OSError: it is missing, a folder, not a regular file, or unreadable.
    """
    # Not to wait for somebody to write into a pipe, before it is known to be one.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is not a regular file")
        return file.read(limit + 1)


def check_source(data: bytes, limit: int) -> Unusable | None:
    """Tell why these bytes are no Python file of the allowed size, or None when they may be one.

    Args:
        data: the file's bytes.
        limit: the most bytes allowed.
    """
    if not data.strip():
        return Unusable(Reason.EMPTY, "the file is empty: paste your function and save the file")
    if len(data) > limit:
        return Unusable(
            Reason.SIZE, f"the file has more than {limit // 1024} KiB, the most that is allowed"
        )
    return _binary(data) or _encoding(data) or _notebook(data)


def _binary(data: bytes) -> Unusable | None:
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            return Unusable(Reason.BINARY, f"the file is {what}, not Python source")
    if data.startswith(_UTF16):
        return Unusable(
            Reason.ENCODING, "the file is UTF-16 text: save it again as UTF-8 and submit that"
        )
    position = data.find(b"\0")
    if position < 0:
        return None
    line = data.count(b"\n", 0, position) + 1
    return Unusable(
        Reason.BINARY, f"byte {position} of the file is NUL, which no Python source has", line
    )


def _encoding(data: bytes) -> Unusable | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Unusable(
            Reason.ENCODING,
            f"line {line} is not UTF-8 (byte {error.start} is {data[error.start]:#04x}): "
            "save the file as UTF-8",
            line,
        )
    for index, text in enumerate(data.splitlines()[:2], 1):
        match = _COOKIE.match(text.removeprefix(codecs.BOM_UTF8))
        if match:
            return _cookie(match[1].decode(), index, ascii_only=data.isascii())
        if text.strip() and not text.lstrip().startswith(b"#"):
            break
    return None


def _cookie(name: str, line: int, *, ascii_only: bool) -> Unusable | None:
    """Refuse a declared encoding under which the bytes would mean something else than in UTF-8."""
    plain = name.lower().replace("_", "-")
    if _UTF8.fullmatch(plain) or (ascii_only and _SAME_IN_ASCII.fullmatch(plain)):
        return None
    return Unusable(
        Reason.ENCODING,
        f'line {line} declares the encoding "{name[:40]}", but files are read as UTF-8: '
        "remove that line",
        line,
    )


def _notebook(data: bytes) -> Unusable | None:
    if not data.lstrip(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        return None
    try:
        msgspec.json.decode(data.removeprefix(codecs.BOM_UTF8), type=_Notebook)
    except msgspec.DecodeError:
        return None
    return Unusable(
        Reason.NOTEBOOK,
        "the file is a Jupyter notebook: save the code as a .py file "
        "(jupyter nbconvert --to script NAME.ipynb)",
    )
