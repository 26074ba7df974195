"""The problem's texts as one document, rendered once for each state of the bundle."""

from __future__ import annotations

import hashlib
import html
from importlib import resources
from pathlib import Path

from judge.cache import cache_folder, read_cached, write_cached
from judge.problem import PROBLEM_FILE, Problem

_PARTS = (PROBLEM_FILE, "generator", "reference", "starter", "submissions", "testcases")


def document(problem: Problem) -> bytes:
    """Return statement, theory and whatever they insert as one self-contained HTML document.

    Rendering takes some seconds, so that what was rendered from the same files is kept.

    Raises:
        BundleError: a text is broken.
    """
    place = cache_folder() / "documents" / f"{_digest(problem.folder)}.html"
    cached = read_cached(place)
    if cached is None:
        cached = _render(problem).encode()
        write_cached(place, cached)
    return cached


def _render(problem: Problem) -> str:
    from judge.authoring.page import page
    from judge.authoring.statement import SUFFIX, TEMPLATES, render

    if any((problem.folder / TEMPLATES).glob(f"*{SUFFIX}")):
        return page(problem, render(problem))
    title = html.escape(problem.name)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="color-scheme" content="light dark">'
        f"<h1>{title}</h1><p>This problem comes without texts.</p></html>"
    )


def _digest(bundle: Path) -> str:
    """Return a digest of everything that the document is made from, this program included."""
    program = Path(str(resources.files("judge")))
    roots = [(bundle, bundle / part) for part in _PARTS] + [(program, program)]
    digest = hashlib.sha256()
    for base, root in roots:
        inside = sorted(root.rglob("*")) if root.is_dir() else [root]
        for path in inside:
            if path.is_file() and "__pycache__" not in path.parts:
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(base)} {content}\n".encode())
    return digest.hexdigest()
