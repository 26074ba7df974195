"""The format 2025-09 as BAPCtools runs it: every submission brings the driver itself.

BAPCtools knows no `include/`, takes statements in LaTeX alone, and like problemtools runs
`python3` with PyPy unless a `languages.yaml` in the contest's folder says otherwise.
"""

from __future__ import annotations

from judge.authoring.export import Export, Options, Target, kattis
from judge.authoring.export.bundle import Bundle, data
from judge.authoring.export.edges import add_edges
from judge.authoring.export.known import Known
from judge.authoring.export.tree import Tree

TARGET = Target("bapctools", "problem package 2025-09 for BAPCtools; driver in each submission")


def export(bundle: Bundle, options: Options) -> Export:
    """Make the package; see `judge.authoring.export.make`."""
    del options
    package = Tree()
    keys = {"problem_format_version": "2025-09", **kattis.metadata(bundle)}
    # The driver counts as part of a submission here.
    keys["limits"] = {**keys["limits"], "code": keys["limits"]["code"] + kattis.DRIVER_CODE}
    package.add("problem.yaml", kattis.to_yaml(keys))
    package.add("statement/problem.en.tex", kattis.latex(bundle))
    kattis.add_attachments(package, bundle)
    kattis.add_cases(package, bundle, described=True)
    add_edges(package, bundle)
    kattis.add_validators(package, bundle)
    package.add("LICENSE", bundle.licence)
    driver = kattis.driver(bundle)

    def add(path: str, known: Known) -> str:
        package.add(f"{path}/{kattis.DRIVER}", driver)
        package.add(f"{path}/{bundle.problem.function_file}", known.source)
        return path

    requirements, left_out = kattis.add_submissions(bundle, add)
    package.add("submissions/submissions.yaml", kattis.to_yaml(requirements))
    files = Tree()
    files.graft(bundle.short_name, package)
    files.add("languages.yaml", data("languages.yaml"))
    return Export(files, {f"{bundle.short_name}.zip": (bundle.short_name, True)}, left_out)
