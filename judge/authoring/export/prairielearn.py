"""PrairieLearn: a question folder whose external grader is our judge.

NumPy comes from the image, which has it; everything else travels in `tests/`.
Source: https://prairielearn.readthedocs.io/en/latest/externalGrading/
"""

from __future__ import annotations

import html
import json
import math
import re

from judge.authoring.export import Export, Options, Target, container, readme
from judge.authoring.export.bundle import Bundle, data
from judge.authoring.export.statement import STARTER, unlinked
from judge.authoring.export.tree import Tree
from judge.authoring.export.vendor import PYTHONS, add_wheels
from judge.authoring.markdown import Library
from judge.faults import BundleError

TARGET = Target("prairielearn", "question folder: our judge as PrairieLearn's external grader")

IMAGE = "prairielearn/grader-python"

SPARE_SECONDS = 15
"""For unpacking, starting, and naming mistakes, beside what the limits allow."""


def export(bundle: Bundle, options: Options) -> Export:
    """Make the folder; see `judge.authoring.export.make`."""
    pythons = options.pythons or PYTHONS
    tests = container.payload(bundle)
    add_wheels(tests, bundle.problem, pythons, numpy=bool(options.numpy), folder=options.wheels)
    names = " ".join(f"python{python}" for python in pythons)
    run = data("prairielearn/run.sh").replace("@PYTHONS@", names)
    tests.add("run.sh", run, program=True)
    tests.add("grade.py", data("prairielearn/grade.py"))
    question = Tree()
    question.graft("tests", tests)
    question.add("info.json", json.dumps(_info(bundle), indent=2, ensure_ascii=False) + "\n")
    question.add("question.html", _question(bundle))
    question.add(bundle.problem.function_file, bundle.starter)
    container.add_samples(question, bundle, "clientFilesQuestion")
    container.add_known(question, bundle, "submitted_code_samples")
    question.add("README.md", readme.prairielearn(bundle, IMAGE))
    question.add("LICENSE", bundle.licence)
    files = Tree()
    files.graft(bundle.problem.slug, question)
    slug = bundle.problem.slug
    return Export(files, {f"{slug}.zip": (slug, True)})


def _info(bundle: Bundle) -> dict[str, object]:
    problem = bundle.problem
    limits = problem.limits
    authors = problem.credits.authors
    names = [authors] if isinstance(authors, str) else authors
    seconds = limits.import_time + limits.total_time + SPARE_SECONDS
    return {
        "uuid": problem.uuid,
        "title": problem.name,
        "topic": problem.series.name if problem.series else "Programming",
        "tags": list(problem.keywords),
        "type": "v3",
        "authors": [{"name": name} for name in names],
        "comment": f"{problem.license}, {problem.rights_owner}, version {problem.version}",
        "singleVariant": True,
        "showCorrectAnswer": False,
        "partialCredit": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": IMAGE,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": min(math.ceil(seconds), 600),
            "enableNetworking": False,
        },
    }


def _question(bundle: Bundle) -> str:
    file = html.escape(bundle.problem.function_file, quote=True)
    links = "\n".join(
        f'    <li><pl-file-download file-name="{name}"></pl-file-download></li>'
        for name in (f"{case.short}.{end}.json" for case in bundle.public for end in ("in", "ans"))
    )
    return f"""<pl-question-panel>
{_body(bundle)}
  <details><summary>The examples as files</summary>
  <ul>
{links}
  </ul>
  </details>
  <pl-file-editor file-name="{file}" source-file-name="{file}" ace-mode="ace/mode/python">
  </pl-file-editor>
</pl-question-panel>

<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""


def _body(bundle: Bundle) -> str:
    """Return the statement as HTML with MathML, in which nothing is a template tag."""
    name = "statement.md"
    text = unlinked(bundle.statement.without(STARTER))
    library = Library(bundle.problem.folder, {name: text})
    document = library.document(name, demote=1)
    if library.faults:
        raise BundleError(library.faults)
    plain = re.sub(r' ?<a class="anchor"[^>]*>#</a>', "", document.html)
    return plain.replace("{{", "&#123;&#123;").replace("}}", "&#125;&#125;")
