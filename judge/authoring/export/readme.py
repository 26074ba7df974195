"""The README of each package: what is in it, how to use it, and what it can't express."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import Environment, StrictUndefined

from judge.authoring.export.bundle import Bundle, data


def gradescope(bundle: Bundle, pythons: Iterable[str]) -> str:
    """Return the README beside an autograder."""
    return _render("gradescope/README.md.j2", bundle, pythons=", ".join(pythons))


def prairielearn(bundle: Bundle, image: str) -> str:
    """Return the README of a question folder."""
    return _render("prairielearn/README.md.j2", bundle, image=image)


def handout(bundle: Bundle) -> str:
    """Return the README for learners."""
    return _render("handout/README.md.j2", bundle)


def _render(name: str, bundle: Bundle, **more: Any) -> str:
    # Markdown, not HTML, and every value is the bundle's own.
    environment = Environment(  # noqa: S701
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    problem = bundle.problem
    weights = problem.weights
    values = {
        "problem": problem,
        "file": problem.function_file,
        "cases": len(bundle.cases),
        "public": len(bundle.public),
        "points": f"{sum(weights[case.entry.group] for case in bundle.cases):g}",
        "authors": _joined(problem.credits.authors),
        "thanks": _joined(problem.credits.acknowledgements),
        **more,
    }
    return environment.from_string(data(name)).render(values)


def _joined(names: str | list[str]) -> str:
    return names if isinstance(names, str) else ", ".join(names)
