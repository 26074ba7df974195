"""One self-contained HTML page from a bundle's texts: no request, no script needed to read it.

Formulas are MathML in an embedded font, figures inline SVG, styles ours. What a bundle adds beside
its texts (an explorer, say) brings its own script and works only on top of what can be read anyway.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from judge.authoring.markdown import INSERT, Document, Heading, Library
from judge.authoring.mathml import font_bytes
from judge.authoring.scripts import inline_modules
from judge.authoring.statement import TEMPLATES, Texts
from judge.faults import BundleError, Fault, did_you_mean
from judge.problem import Problem

FIRST = "statement.md"

# Nothing may be fetched, whatever a text holds: the page says so to the browser.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class Body:
    """The page without its frame, for whoever has a frame already.

    Args:
        html: all documents, one `article` each.
        contents: the table of contents, nested lists of links.
        styles: style sheets, the math font included.
        scripts: texts of script modules.
        data: JSON for the scripts, by the id of the element that holds it.
    """

    html: str
    contents: str
    styles: str
    scripts: list[str]
    data: Mapping[str, Any]


def page(problem: Problem, texts: Texts) -> str:
    """Return the whole page.

    Args:
        problem: the bundle; its name is the title.
        texts: its rendered texts.

    Raises:
        BundleError: a formula, link, tag, figure or insert is wrong; all such faults at once.
    """
    parts = body(problem, texts)
    title = html.escape(problem.name)
    data = "\n".join(_json_script(name, value) for name, value in parts.data.items())
    scripts = "\n".join(
        f'<script type="module">\n{script}</script>'
        for script in [*parts.scripts, _data("page.js")]
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>
{parts.styles}</style>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<div class="frame">
<nav class="contents" aria-label="Contents">
<details class="narrow"><summary>Contents</summary>
{parts.contents}</details>
<div class="wide">
{parts.contents}</div>
</nav>
<main id="text" tabindex="-1">
{parts.html}</main>
</div>
{data}
{scripts}
</body>
</html>
"""


def body(problem: Problem, texts: Texts) -> Body:
    """Return the page's parts; see `page`."""
    anchors = frozenset(str(i["id"]) for i in texts.inserts.values() if isinstance(i, Mapping))
    library = Library(problem.folder, texts.files, texts.sources, anchors)
    names = sorted(library.documents, key=lambda name: (name != FIRST, name))
    documents = [library.document(name, demote=int(name != FIRST)) for name in names]
    faults = [*library.faults, *_unknown_inserts(documents, texts)]
    if faults:
        raise BundleError(faults)
    asked = [name for document in documents for name in document.inserts]
    rich = [insert for name in asked if isinstance(insert := texts.inserts[name], Mapping)]
    folder = problem.folder / TEMPLATES
    styles = [_font_face(), _data("page.css"), *(_read(folder / i["style"]) for i in rich)]
    return Body(
        html="".join(_article(document, texts.inserts) for document in documents),
        contents=_contents(documents, texts.inserts),
        styles="\n".join(styles),
        scripts=[inline_modules(folder / insert["script"]) for insert in rich],
        data={insert["data_id"]: insert["data"] for insert in rich},
    )


def _article(document: Document, inserts: Mapping[str, Any]) -> str:
    stem = Path(document.name).stem
    text = INSERT.sub(lambda match: _insert_html(inserts[match[1]]), document.html)
    return (
        f'<article id="{stem}" aria-labelledby="{document.headings[0].anchor}">\n{text}</article>\n'
    )


def _insert_html(insert: Any) -> str:
    return str(insert["html"] if isinstance(insert, Mapping) else insert)


def _unknown_inserts(documents: list[Document], texts: Texts) -> list[Fault]:
    return [
        Fault(
            document.name,
            f"nothing is called {name!r} to insert{did_you_mean(name, texts.inserts)}",
        )
        for document in documents
        for name in document.inserts
        if name not in texts.inserts
    ]


def _contents(documents: list[Document], inserts: Mapping[str, Any]) -> str:
    """Return nested lists: each document with its sections, then what it inserts."""
    items = []
    for document in documents:
        title, *sections = document.headings
        deepest = title.level + 1
        links = [_link(heading) for heading in sections if heading.level == deepest]
        rich = [inserts[name] for name in document.inserts if isinstance(inserts[name], Mapping)]
        links += [
            f'<a href="#{insert["id"]}">{html.escape(insert["title"])}</a>' for insert in rich
        ]
        inner = "".join(f"<li>{link}</li>\n" for link in links)
        items.append(f"<li>{_link(title)}\n<ol>\n{inner}</ol></li>\n")
    return f"<ol>\n{''.join(items)}</ol>\n"


def _link(heading: Heading) -> str:
    return f'<a href="#{heading.anchor}">{heading.html}</a>'


def _font_face() -> str:
    encoded = base64.b64encode(font_bytes()).decode("ascii")
    return (
        '@font-face { font-family: "Judge Math"; '
        f'src: url("data:font/woff;base64,{encoded}") format("woff"); }}\n'
        "math { font-family: 'Judge Math', math; }\n"
    )


def _json_script(name: str, value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    inert = text.replace("<", "\\u003c")  # nothing in the data can end the element
    return f'<script type="application/json" id="{name}">{inert}</script>'


def _data(name: str) -> str:
    return (resources.files("judge.authoring") / "data" / name).read_text(encoding="utf-8")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BundleError([Fault(str(path), f"can't be read: {error}")]) from error
