"""Gradescope: an autograder zip in which our judge runs.

Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json

from judge.authoring.export import Export, Options, Target, container, readme
from judge.authoring.export.bundle import Bundle, data
from judge.authoring.export.tree import Tree
from judge.authoring.export.vendor import add_wheels

TARGET = Target("gradescope", "autograder zip: our judge in Gradescope's container")

PYTHONS = ("3.11", "3.12")
"""Those that Gradescope's Ubuntu images have or can install."""


def export(bundle: Bundle, options: Options) -> Export:
    """Make the package; see `judge.authoring.export.make`."""
    pythons = options.pythons or PYTHONS
    autograder = container.payload(bundle)
    numpy = True if options.numpy is None else options.numpy
    add_wheels(autograder, bundle.problem, pythons, numpy=numpy, folder=options.wheels)
    setup = data("gradescope/setup.sh").replace("@VERSIONS@", " ".join(pythons))
    autograder.add("setup.sh", setup, program=True)
    autograder.add("run_autograder", data("gradescope/run_autograder"), program=True)
    autograder.add("grade.py", data("gradescope/grade.py"))
    autograder.add("settings.json", json.dumps(_settings(bundle), indent=1) + "\n")
    autograder.add("LICENSE", bundle.licence)
    files = Tree()
    files.graft("autograder", autograder)
    container.add_handouts(files, bundle)
    container.add_known(files, bundle, "known_submissions")
    files.add("README.md", readme.gradescope(bundle, pythons))
    return Export(files, {"autograder.zip": ("autograder", False)})


def _settings(bundle: Bundle) -> dict[str, object]:
    weights = bundle.problem.weights
    points = sum(weights[case.entry.group] for case in bundle.cases)
    return {
        "points": int(points) if points == int(points) else points,
        "secret_visibility": "visible",
        "advice": "gentle",
    }
