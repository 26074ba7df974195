"""Where reports go: standard output, a file written whole or not at all, or a folder of pages."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import click


class OutputError(click.ClickException):
    """A report can't be written; the exit code must not be taken for a verdict."""

    exit_code = 2


class Output:
    """Collects bytes for standard output or a file.

    A file appears under its name only when everything is written; until then, and after a failure,
    what stood there before stays.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._chunks: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Write at once to standard output, or keep for the file."""
        if self._path is None:
            write_stdout(data)
        else:
            self._chunks.append(data)

    def close(self) -> None:
        """Write the file."""
        if self._path is not None:
            write_file(self._path, b"".join(self._chunks))


def check_file(path: Path) -> None:
    """Check before any judging that a file can be written.

    Raises:
        click.UsageError: its folder is missing or may not be written, or it is a folder itself.
    """
    if path.is_dir():
        raise click.UsageError(f"--output {path}: this is a folder; name a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"--output {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise click.UsageError(f"--output {path}: may not write into {path.parent}")


def write_file(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it into place.

    Raises:
        OutputError: it can't be written.
    """
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe (/dev/stdout) is written to, not replaced.
            path.write_bytes(data)
            return
        import tempfile  # slow to import, for those who write to standard output

        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).chmod(0o666 & ~_umask())
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise OutputError(f"{path}: can't be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_stdout(data: bytes) -> None:
    """Write bytes to standard output at once.

    A reader that has gone away (`judge run … | head`) is no fault: the rest goes nowhere, and the
    exit code still tells the verdict.

    Raises:
        OutputError: it can't be written for any other reason, such as a full disk.
    """
    if sys.stdout is None:
        # Closed by the caller (`>&-`): whoever does that wants the exit code alone.
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        # What could not be written must not be tried again when the interpreter ends.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"standard output: can't be written: {error.strerror}") from None


def write_text(text: str) -> None:
    """Write text to standard output; characters that its encoding lacks are replaced."""
    write_stdout(text.encode(stdout_encoding(), errors="replace"))


def stdout_encoding() -> str:
    """Return the encoding of standard output; UTF-8 where it is closed."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"
