"""Run `judge` as people do: in this process where that shows the same, in its own where not."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from judge.cli import main


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        return json.loads(self.out)


class Command:
    """Runs `judge` in this process, with a real sandbox where the command starts one."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Done:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        written = self._capsys.readouterr()
        return Done(int(ended.value.code or 0), written.out, written.err)


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start `judge` as a process."""
    command = [sys.executable, "-m", "judge", *map(str, arguments)]
    return subprocess.Popen(command, **options)


def run(*arguments: object, **options: Any) -> Done:
    """Run `judge` as a process of its own to its end."""
    command = [sys.executable, "-m", "judge", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=100, **options)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
