"""Unpacks the wheels of this interpreter: `python unpack.py WHEELS PACKAGES`.

A wheel of a pure or compiled library is a zip of what belongs into site-packages (PEP 427); these
have nothing else in them. Exit code 3: there are none for this interpreter.
"""

from __future__ import annotations

import compileall
import sys
import zipfile
from pathlib import Path

NONE_FIT = 3


def main() -> int:
    """Unpack, and compile what is Python, so that every later start is quick."""
    wheels, packages = map(Path, sys.argv[1:3])
    tag = f"-cp{sys.version_info[0]}{sys.version_info[1]}-"
    fitting = [path for path in sorted(wheels.glob("*.whl")) if tag in path.name]
    if not fitting or sys.implementation.name != "cpython" or not sys.platform.startswith("linux"):
        return NONE_FIT
    for path in fitting:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(packages)
    if "--compile" in sys.argv:
        compileall.compile_dir(packages, quiet=2)
        compileall.compile_dir(Path(__file__).parent / "judge", quiet=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
