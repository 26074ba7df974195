"""The texts of a bundle, rendered: `generator/NAME.md.j2` to `NAME.md`, and their figures.

The templates may use `problem`, `samples`, `starter`, and whatever `values` in the bundle's package
`generator/texts` computes. It may also draw figures (`figures`) and give pieces of HTML that a text
asks for with `<!-- insert: NAME -->` (`inserts`); a bundle without that package has none. A value
that is missing stops the rendering with file and line.
"""

from __future__ import annotations

import os
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import jinja2

from judge.authoring.formatting import FILTERS
from judge.authoring.material import Material, gather
from judge.authoring.modules import load_module
from judge.faults import BundleError, Fault
from judge.problem import Problem

HELPER = "generator/texts/__init__.py"
TEMPLATES = "generator"
SUFFIX = ".md.j2"
FIGURES = "generator/figures"


@dataclass(frozen=True)
class Texts:
    """Everything rendered.

    Args:
        files: Markdown and SVG by path inside the bundle.
        inserts: by the name under which a text asks for it, either HTML, or what a part with a
            script needs: html, id, title, data, data_id, and paths below `generator/` of script and
            style.
        sources: the template's text by the path of the Markdown made from it.
    """

    files: dict[str, str]
    inserts: dict[str, Any]
    sources: dict[str, str]


def render(problem: Problem, material: Material | None = None) -> Texts:
    """Render every template and figure of a bundle.

    Args:
        problem: the bundle.
        material: what the texts are made from; gathered from the bundle when None.

    Raises:
        BundleError: a template is broken or uses what is not there, the helper fails, or the
            bundle has no template.
    """
    templates = sorted((problem.folder / TEMPLATES).glob(f"*{SUFFIX}"))
    if not templates:
        raise BundleError([Fault(TEMPLATES, f"there is no template (NAME{SUFFIX})")])
    path = problem.folder / HELPER
    helper = load_module(path, HELPER) if path.parent.exists() else ModuleType("texts")
    material = material or gather(problem)
    known = {"problem": problem, "samples": material.samples, "starter": material.starter}
    values = _call(helper, "values", material)
    figures = {
        f"{FIGURES}/{name}.svg": text for name, text in _call(helper, "figures", values).items()
    }
    inserts = _call(helper, "inserts", values)
    environment = _environment(problem.folder / TEMPLATES)
    faults: list[Fault] = []
    files: dict[str, str] = {}
    sources: dict[str, str] = {}
    for path in templates:
        target = path.name.removesuffix(SUFFIX) + ".md"
        text = _render(environment, path.name, {**known, **values}, faults)
        if text is not None:
            files[target] = text
        sources[target] = path.read_text(encoding="utf-8")
    if faults:
        raise BundleError(faults)
    return Texts({**files, **figures}, inserts, sources)


def stale(problem: Problem, texts: Texts) -> list[str]:
    """Return the paths whose file in the bundle is missing, differs, or is no longer made."""
    found = [path for path, text in texts.files.items() if _current(problem.folder / path) != text]
    left_over = {
        f"{FIGURES}/{path.name}" for path in (problem.folder / FIGURES).glob("*.svg")
    } - texts.files.keys()
    return sorted([*found, *left_over])


def write(problem: Problem, texts: Texts) -> list[str]:
    """Bring the bundle's texts and figures up to date; returns the paths that changed.

    Each file is replaced as a whole, so that a reader never sees half of one.
    """
    changed = stale(problem, texts)
    for path in changed:
        target = problem.folder / path
        if path in texts.files:
            replace_file(target, texts.files[path])
        else:
            target.unlink()
    return changed


def replace_file(target: Path, text: str) -> None:
    """Write a text file through a temporary one beside it (rename(2) is atomic)."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(descriptor)
    temporary = Path(name)
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _current(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _call(helper: ModuleType, name: str, argument: Any) -> dict[str, Any]:
    """Call one function of the helper; its faults are the bundle's, told with the line."""
    function = getattr(helper, name, None)
    if function is None:
        return {}
    try:
        result = function(argument)
    except BundleError:
        raise
    except Exception as error:
        frames = [
            f for f in traceback.extract_tb(error.__traceback__) if f.filename == helper.__file__
        ]
        line = frames[-1].lineno if frames else 0
        raise BundleError(
            [Fault(f"{HELPER}, line {line}", f"{name} fails: {type(error).__name__}: {error}")]
        ) from error
    if not isinstance(result, dict):
        raise BundleError([Fault(HELPER, f"{name} must return a dict")])
    return result


def _environment(folder: Path) -> jinja2.Environment:
    # Markdown, not HTML: escaping would break it, and every value is the bundle's own.
    environment = jinja2.Environment(  # noqa: S701
        loader=jinja2.FileSystemLoader(folder, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    environment.filters.update(FILTERS)
    environment.globals["fail"] = _fail
    return environment


def _finalize(value: Any) -> Any:
    """Refuse what nobody meant to print: nothing at all, or a number with all its digits."""
    if value is None:
        raise ValueError("a value that is None can't be printed")
    if isinstance(value, float) or hasattr(value, "dtype"):
        raise ValueError(f"{value!r} needs a filter that says how to write it (fixed, exact, …)")
    return value


def _fail(message: str) -> str:
    raise ValueError(message)


def _render(
    environment: jinja2.Environment, name: str, values: dict[str, Any], faults: list[Fault]
) -> str | None:
    try:
        return environment.get_template(name).render(values)
    except jinja2.TemplateSyntaxError as error:
        faults.append(
            Fault(f"{TEMPLATES}/{error.name or name}, line {error.lineno}", str(error.message))
        )
    except Exception as error:  # noqa: BLE001 (whatever a template's filters raise is its fault)
        place = _template_line(error, environment) or f"{TEMPLATES}/{name}"
        kind = (
            ""
            if isinstance(error, jinja2.UndefinedError | ValueError)
            else f"{type(error).__name__}: "
        )
        faults.append(Fault(place, f"{kind}{error}"))
    return None


def _template_line(error: Exception, environment: jinja2.Environment) -> str | None:
    """Find the innermost template line; jinja2 rewrites tracebacks to template lines."""
    loader = environment.loader
    assert isinstance(loader, jinja2.FileSystemLoader)  # noqa: S101 (made so above)
    folder = Path(loader.searchpath[0])
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).parent == folder and frame.filename.endswith(".j2"):
            return f"{TEMPLATES}/{Path(frame.filename).name}, line {frame.lineno}"
    return None
