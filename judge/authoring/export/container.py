"""What travels into a container: the judge's own package, the bundle, and the packages it needs."""

from __future__ import annotations

from pathlib import Path

import judge
from judge.authoring.export.bundle import Bundle, data
from judge.authoring.export.tree import Tree
from judge.testcases import FOLDER, MANIFEST

_NOT_FOR_JUDGING = frozenset({"authoring", "batch", "cli", "web", "__main__.py"})


def judge_package(*, whole: bool) -> Tree:
    """Return the files of the package `judge`.

    Args:
        whole: also what is not needed to judge one file: command line, page, authoring.
    """
    tree = Tree()
    root = Path(judge.__file__).parent
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if not path.is_file() or "__pycache__" in parts:
            continue
        if whole or parts[0] not in _NOT_FOR_JUDGING:
            tree.add("/".join(("judge", *parts)), path.read_bytes())
    return tree


def payload(bundle: Bundle) -> Tree:
    """Return judge, bundle and the module that both graders share, without wheels."""
    tree = judge_package(whole=False)
    folder = bundle.problem.folder
    for name in (
        "problem.yaml",
        f"reference/{bundle.problem.function_file}",
        "submissions/mistakes.yaml",
        f"{FOLDER}/{MANIFEST}",
        f"{FOLDER}/counterexamples.json",
    ):
        if (folder / name).is_file():
            tree.add(f"bundle/{name}", (folder / name).read_bytes())
    for case in bundle.cases:
        tree.add(f"bundle/{FOLDER}/{case.entry.name}.in.json", case.input)
        tree.add(f"bundle/{FOLDER}/{case.entry.name}.ans.json", case.answer)
    tree.add("grading.py", data("grading.py"))
    tree.add("unpack.py", data("unpack.py"))
    return tree


def page(bundle: Bundle) -> str:
    """Return statement and theory as one self-contained HTML page.

    Where the bundle has templates the texts are rendered, because the page has more than they.
    """
    from judge.authoring.page import page as make_page
    from judge.authoring.statement import SUFFIX, TEMPLATES, Texts, render

    if any((bundle.problem.folder / TEMPLATES).glob(f"*{SUFFIX}")):
        return make_page(bundle.problem, render(bundle.problem))
    files = {name: text.decode("utf-8") for name, text in bundle.texts.items()}
    return make_page(bundle.problem, Texts(files, {}, {}))


def add_handouts(tree: Tree, bundle: Bundle) -> None:
    """Add what staff give to learners: the page, the file to start from, the samples."""
    tree.add("statement.html", page(bundle))
    tree.add(bundle.problem.function_file, bundle.starter)
    add_samples(tree, bundle, "samples")


def add_samples(tree: Tree, bundle: Bundle, folder: str) -> None:
    """Add the published cases."""
    for case in bundle.public:
        tree.add(f"{folder}/{case.short}.in.json", case.input)
        tree.add(f"{folder}/{case.short}.ans.json", case.answer)


def add_known(tree: Tree, bundle: Bundle, folder: str) -> None:
    """Add every known submission, and a table of what must be said of each."""
    lines = ["submission,verdict,reason\n"]
    for known in bundle.known:
        place = known.path.removesuffix(".py")
        tree.add(f"{folder}/{place}/{bundle.problem.function_file}", known.source)
        lines.append(f"{place},{known.verdict},{known.reason or ''}\n")
    tree.add(f"{folder}/expected.csv", "".join(lines))
