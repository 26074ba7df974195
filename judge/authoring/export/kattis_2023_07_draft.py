"""The draft 2023-07 of the Kattis format, which is what problemtools takes today.

problemtools runs Python 3 with PyPy, which has no NumPy, unless a `languages.yaml` beside the
package says otherwise; so one is written there.
Source: https://www.kattis.com/problem-package-format/spec/2023-07-draft.html
"""

from __future__ import annotations

from judge.authoring.export import Export, Options, Target, kattis
from judge.authoring.export.bundle import Bundle, data
from judge.authoring.export.known import Known
from judge.authoring.export.tree import Tree

TARGET = Target("kattis-2023-07-draft", "problem package 2023-07-draft: problemtools")


def export(bundle: Bundle, options: Options) -> Export:
    """Make the package; see `judge.authoring.export.make`."""
    del options
    package = Tree()
    keys = {"problem_format_version": "2023-07-draft", **kattis.metadata(bundle)}
    package.add("problem.yaml", kattis.to_yaml({**keys, "allow_file_writing": False}))
    package.add("statement/problem.en.md", kattis.markdown(bundle))
    package.add(f"include/python3/{kattis.DRIVER}", kattis.driver(bundle))
    kattis.add_attachments(package, bundle)
    kattis.add_cases(package, bundle, described=False)
    kattis.add_validators(package, bundle)
    package.add("LICENSE", bundle.licence)

    def add(path: str, known: Known) -> str:
        package.add(f"{path}.py", known.source)
        return f"{path}.py"

    _, left_out = kattis.add_submissions(bundle, add)
    files = Tree()
    files.graft(bundle.short_name, package)
    files.add("languages.yaml", data("languages.yaml"))
    return Export(files, {f"{bundle.short_name}.zip": (bundle.short_name, True)}, left_out)
