"""The Kattis problem package format 2025-09, as Kattis, DOMjudge and PC² read it.

The driver stands in `include/`, which the judging system adds to every submission.
Source: https://www.kattis.com/problem-package-format/spec/2025-09.html
"""

from __future__ import annotations

from judge.authoring.export import Export, Options, Target, kattis
from judge.authoring.export.bundle import Bundle
from judge.authoring.export.edges import add_edges
from judge.authoring.export.known import Known
from judge.authoring.export.tree import Tree

TARGET = Target(
    "kattis-2025-09", "problem package 2025-09: Kattis, DOMjudge, PC²; driver in include/"
)

LANGUAGES = ("python3", "python3numpy")


def export(bundle: Bundle, options: Options) -> Export:
    """Make the package; see `judge.authoring.export.make`."""
    del options
    package = Tree()
    keys = {"problem_format_version": "2025-09", **kattis.metadata(bundle)}
    package.add("problem.yaml", kattis.to_yaml({**keys, "languages": list(LANGUAGES)}))
    package.add("statement/problem.en.md", kattis.markdown(bundle))
    for language in LANGUAGES:
        package.add(f"include/{language}/{kattis.DRIVER}", kattis.driver(bundle))
    kattis.add_attachments(package, bundle)
    kattis.add_cases(package, bundle, described=True)
    add_edges(package, bundle)
    kattis.add_validators(package, bundle)
    package.add("LICENSE", bundle.licence)

    def add(path: str, known: Known) -> str:
        package.add(f"{path}.py", known.source)
        return f"{path}.py"

    requirements, left_out = kattis.add_submissions(bundle, add)
    package.add("submissions/submissions.yaml", kattis.to_yaml(requirements))
    files = Tree()
    files.graft(bundle.short_name, package)
    return Export(files, {f"{bundle.short_name}.zip": (bundle.short_name, True)}, left_out)
