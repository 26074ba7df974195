"""A copy of interpreter, packages and bundle that every user may read, so that any can judge.

The interpreter of a virtual environment may lie under a home folder that only its owner may enter.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import BUNDLE_PARTS, ROOT

PACKAGES = ("numpy", "msgspec", "yaml", "click", "rich", "markdown_it", "mdurl", "pygments")
_NEEDLESS = (
    "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "site-packages",
    "config-*", "dist-packages",
)  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """Where everything lies.

    Args:
        folder: the whole, a world-readable folder.
        python: an interpreter that every user may run.
        environment: the variables that it needs.
    """

    folder: Path
    python: Path
    environment: dict[str, str]

    @property
    def bundle(self) -> Path:
        """The copied bundle."""
        return self.folder / "main"


def open_to_all(path: Path) -> bool:
    """Tell whether every user may read a file or enter a folder, by all the folders above it."""
    above = [parent for parent in path.parents if not parent.stat().st_mode & stat.S_IXOTH]
    return not above and bool(path.stat().st_mode & stat.S_IROTH)


def build(folder: Path) -> Stage:
    """Build a stage in an empty folder."""
    site = folder / "site"
    site.mkdir()
    for name in PACKAGES:
        _copy_package(name, site)
    main = folder / "main"
    main.mkdir()
    for name in ("judge", "tests", *BUNDLE_PARTS):
        _copy(ROOT / name, main / name)
    library = Path(sysconfig.get_path("stdlib"))
    python = Path(sys.executable).resolve()
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": f"{site}:{main}",
        "PYTHONDONTWRITEBYTECODE": "1",
        **{name: os.environ[name] for name in ("OPENBLAS_CORETYPE",) if name in os.environ},
    }
    if not (open_to_all(library) and open_to_all(python)):
        python = _copy_interpreter(python, library, folder / "python")
        environment["LD_LIBRARY_PATH"] = str(python.parent.parent / "lib")
    _open(folder)
    return Stage(folder, python, environment)


def _copy_package(name: str, site: Path) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).parent
    _copy(source, site / name)
    for beside in (f"{name}.libs", f"_{name}"):
        if (source.parent / beside).is_dir():
            _copy(source.parent / beside, site / beside)


def _copy_interpreter(python: Path, library: Path, target: Path) -> Path:
    _copy(library, target / "lib" / library.name)
    for shared in (Path(sys.base_prefix) / "lib").glob("libpython*.so*"):
        _copy(shared, target / "lib" / shared.name)
    _copy(python, target / "bin" / python.name)
    return target / "bin" / python.name


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(
            source, target, ignore=shutil.ignore_patterns(*_NEEDLESS[2:], *_tests(source))
        )
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def _tests(source: Path) -> tuple[str, ...]:
    """Leave out the tests of Python and of packages, but not those of this project."""
    return () if source.is_relative_to(ROOT) and ".venv" not in source.parts else _NEEDLESS[:2]


def _open(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if path.is_dir() or mode & stat.S_IXUSR else 0o444))
