"""Loading a bundle's own modules by path, under names that no other bundle's modules have."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from judge.faults import BundleError, Fault
from judge.problem import Problem


def load_module(path: Path, where: str) -> ModuleType:
    """Import a Python file of a bundle.

    Args:
        path: the file.
        where: how messages name it, as in "generator/families.py".

    Raises:
        BundleError: the file is missing, or fails when it is imported.
    """
    if not path.is_file():
        raise BundleError([Fault(where, "the file is missing")])
    name = f"_bundle_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BundleError([Fault(where, "not a Python file")])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        fault = Fault(where, f"can't be imported: {type(error).__name__}: {error}")
        raise BundleError([fault]) from error
    return module


def load_families(problem: Problem) -> dict[str, Callable[..., dict[str, Any]]]:
    """Return the public functions of `generator/families.py` by name."""
    module = load_module(problem.folder / "generator" / "families.py", "generator/families.py")
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


def load_function(problem: Problem, file: str) -> Callable[..., Any]:
    """Return the function with the problem's name from a bundle file, as in "reference/exact.py".

    Raises:
        BundleError: the file can't be imported, or has no such function.
    """
    module = load_module(problem.folder / file, file)
    function = getattr(module, problem.function.name, None)
    if not callable(function):
        raise BundleError([Fault(file, f'has no function "{problem.function.name}"')])
    result: Callable[..., Any] = function
    return result
