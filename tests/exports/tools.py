"""The target systems' own tools, each in an environment of its own in the cache folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

from judge.cache import cache_folder

PROBLEMTOOLS = "problemtools==1.20260907"
BAPCTOOLS = "bapctools==2026.10.0"

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def environment(*packages: str) -> Path:
    """Return the programs' folder of an environment with packages, made when it is not there.

    NumPy is always among them: `python3` of this folder is what runs submissions.
    """
    wanted = [*packages, f"numpy=={version('numpy')}"]
    name = "-".join(re.sub(r"[^a-z0-9.]+", "_", package.lower()) for package in wanted)
    folder = cache_folder() / "tools" / f"{name}-py{sys.version_info[0]}.{sys.version_info[1]}"
    if not (folder / "ready").is_file():
        venv.create(folder, with_pip=True, clear=True)
        install = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
        subprocess.run([*install, "--quiet", *wanted], check=True)
        (folder / "ready").touch()
    return folder / "bin"


def run(
    command: list[str | Path], folder: Path, programs: Path, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a tool with its own programs first in the path; its output has no colours.

    Its home is above its working folder: BAPCtools keeps a list there of every uuid that it saw.
    """
    # Without what a test run or a virtual environment around it sets.
    kept = ("LANG", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    settings = {name: os.environ[name] for name in kept if name in os.environ}
    settings["HOME"] = str(folder.parent)
    settings["PATH"] = f"{programs}:/usr/local/bin:/usr/bin:/bin"
    done = subprocess.run(
        command,
        cwd=folder,
        env=settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )
    done.stdout = _ESCAPES.sub("", done.stdout)
    return done
