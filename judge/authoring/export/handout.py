"""What learners take home: statement, theory, starter, samples, counterexamples, and the judge.

It is a bundle of its own that the same judge runs, with the published cases and, as a group of
their own, the counterexamples of known mistakes. No secret case, no seed, no reference is in it.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import version

import msgspec

from judge.authoring.export import Export, Options, Target, container, kattis, readme
from judge.authoring.export.bundle import Bundle, data
from judge.authoring.export.statement import unlinked
from judge.authoring.export.tree import Tree
from judge.authoring.generate.folder import encode_manifest
from judge.casefiles import encode_answer, encode_input
from judge.counterexamples import (
    COUNTEREXAMPLES,
    Counterexample,
    encode_counterexamples,
    load_counterexamples,
    secret_answers,
)
from judge.mistakes import Mistakes
from judge.problem import BUNDLE_FORMAT
from judge.report import PUBLIC_GROUPS
from judge.testcases import FOLDER, MANIFEST, CaseEntry, Manifest

TARGET = Target("handout", "for learners: texts, starter, samples, counterexamples and the judge")

EXAMPLES = "counterexample"
"""The group of the cases made from counterexamples."""

_HIDDEN_KEYS = frozenset({"bundle_format", "seed", "groups", "verify", "source"})
_JUDGING = ("click", "msgspec", "numpy", "PyYAML", "rich")


def export(bundle: Bundle, options: Options) -> Export:
    """Make the folder; see `judge.authoring.export.make`."""
    del options
    handout = container.judge_package(whole=True)
    _add_cases(handout, bundle)
    kept = set(bundle.texts) | {"LICENSE"}
    for name, text in bundle.texts.items():
        is_text = name.endswith(".md")
        handout.add(name, unlinked(text.decode("utf-8"), kept) if is_text else text)
    handout.add("statement.html", container.page(bundle))
    handout.add(bundle.problem.function_file, bundle.starter)
    handout.add(f"starter/{bundle.problem.function_file}", bundle.starter)
    handout.add("requirements.lock", _requirements(bundle))
    handout.add(
        "Makefile", data("handout/Makefile").replace("@FILE@", bundle.problem.function_file)
    )
    handout.add("README.md", readme.handout(bundle))
    handout.add("LICENSE", bundle.licence)
    slug = bundle.problem.slug
    files = Tree()
    files.graft(slug, handout)
    return Export(files, {f"{slug}.zip": (slug, True)})


def _add_cases(tree: Tree, bundle: Bundle) -> None:
    """Add `problem.yaml` and `testcases/` with what is public."""
    problem = bundle.problem
    entries = [case.entry for case in bundle.public]
    for case in bundle.public:
        tree.add(f"{FOLDER}/{case.entry.name}.in.json", case.input)
        tree.add(f"{FOLDER}/{case.entry.name}.ans.json", case.answer)
    examples = _examples(bundle)
    if examples:
        tree.add(f"{FOLDER}/{COUNTEREXAMPLES}", encode_counterexamples(problem, examples, ""))
        titles = {mistake.id: mistake.title for mistake in Mistakes.load(problem).known}
        entries += [_add_example(tree, each, titles[each.mistake]) for each in examples]
    used = {tag for entry in entries for tag in entry.tags}
    manifest = Manifest(
        format=bundle.manifest.format,
        problem=bundle.manifest.problem,
        seed=0,
        made_from={},
        tags={tag: info for tag, info in bundle.manifest.tags.items() if tag in used},
        cases=entries,
    )
    tree.add(f"{FOLDER}/{MANIFEST}", encode_manifest(manifest))
    tree.add("problem.yaml", _problem(bundle, {entry.group for entry in entries}))


def _examples(bundle: Bundle) -> list[Counterexample]:
    """Return the counterexamples, but none with the answer of a secret case."""
    if not (bundle.problem.folder / FOLDER / COUNTEREXAMPLES).is_file():
        return []
    secret = secret_answers(bundle.problem, PUBLIC_GROUPS)
    found = load_counterexamples(bundle.problem).values()
    return [example for example in found if example.expected.tobytes() not in secret]


def _add_example(tree: Tree, example: Counterexample, title: str) -> CaseEntry:
    """Add a counterexample as a case, and return its entry in the manifest."""
    name = f"{EXAMPLES}/{example.mistake}"
    given, answer = encode_input(example.inputs), encode_answer(example.expected)
    tree.add(f"{FOLDER}/{name}.in.json", given)
    tree.add(f"{FOLDER}/{name}.ans.json", answer)
    shapes = {
        key: list(value.shape) for key, value in example.inputs.items() if hasattr(value, "shape")
    }
    return CaseEntry(
        name=name,
        group=EXAMPLES,
        family="counterexample",
        attempt=0,
        tags=[],
        shows=f"tells apart: {title}",
        shapes=shapes,
        input_sha256=hashlib.sha256(given).hexdigest(),
        answer_sha256=hashlib.sha256(answer).hexdigest(),
        precision=0,
        bound=0.0,
        made_by="",
    )


def _problem(bundle: Bundle, groups: set[str]) -> str:
    """Return `problem.yaml` without what concerns secret cases: their group, and the seed."""
    problem = bundle.problem
    told = msgspec.to_builtins(problem).items()
    keys = {key: value for key, value in told if key not in _HIDDEN_KEYS and value}
    public = [group for group in problem.groups if group.name in PUBLIC_GROUPS & groups]
    named = [{"name": group.name, "weight": group.weight} for group in public]
    if EXAMPLES in groups:
        named.append({"name": EXAMPLES, "weight": 1.0})
    more = {"source": kattis.metadata(bundle)["source"], "groups": named, "seed": 0}
    return kattis.to_yaml({"bundle_format": BUNDLE_FORMAT, **keys, **more})


def _requirements(bundle: Bundle) -> bytes:
    """Return the bundle's lock, or the versions installed here where it has none."""
    lock = bundle.problem.folder / "requirements.lock"
    if lock.is_file():
        return lock.read_bytes()
    return "".join(f"{name}=={version(name)}\n" for name in _JUDGING).encode("ascii")
