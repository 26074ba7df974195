"""Markdown to HTML, strictly: a bad formula, link, anchor or tag is a fault with file and line.

The dialect is what code hosts show: CommonMark with tables, `$…$` and `$$` formulas, and
`<details>`. Tables become scrollable, formulas MathML, figures inline SVG.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from judge.authoring.mathml import MathError, to_mathml
from judge.faults import Fault, did_you_mean

INSERT = re.compile(r"<!--\s*insert:\s*([\w-]+)\s*-->")

_TAGS = {"details", "summary", "br", "sub", "sup", "kbd"}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Heading:
    """A heading of the page: its level there, anchor, and text as HTML."""

    level: int
    anchor: str
    html: str


@dataclass(frozen=True)
class Document:
    """A Markdown file turned into HTML.

    Args:
        name: the file's path in the bundle.
        html: its body.
        headings: its headings in order.
        inserts: the names that its `<!-- insert: NAME -->` ask for; each stands in `html` as that
            comment.
    """

    name: str
    html: str
    headings: list[Heading]
    inserts: list[str]


@dataclass
class Library:
    """All documents of a page, so that links between them can be followed.

    Args:
        folder: the bundle, where linked files must exist.
        files: Markdown and SVG by path in the bundle; what is not here is looked for in `folder`.
        sources: template text by Markdown path, to name the line that must be changed.
        extra_anchors: anchors that something else on the page has, such as an insert.
    """

    folder: Path
    files: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)
    extra_anchors: frozenset[str] = frozenset()
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.documents = [name for name in self.files if name.endswith(".md")]
        self._tokens = {name: _parser().parse(self.files[name]) for name in self.documents}
        self._slugs = {name: list(_slugs(tokens)) for name, tokens in self._tokens.items()}

    def document(self, name: str, *, demote: int = 0) -> Document:
        """Render one document; its faults are added to `faults`.

        Args:
            name: its path in the bundle.
            demote: how many levels its headings stand lower on the page.
        """
        return _Writer(self, name, self._tokens[name], self._slugs[name], demote).document()

    def anchor(self, document: str, slug: str | None) -> str | None:
        """Return the page's anchor for a heading of a document, or None when there is none."""
        stem = PurePosixPath(document).stem
        if slug is None:
            return stem
        return f"{stem}-{slug}" if slug in self._slugs[document] else None

    def slugs(self, document: str) -> list[str]:
        """Return the anchors that a code host gives the headings of a document."""
        return self._slugs[document]


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "typographer": True})
    parser.enable(["table", "strikethrough", "smartquotes"])
    return parser.use(dollarmath_plugin, allow_space=False, double_inline=False)


def slug(text: str) -> str:
    """Return the anchor that code hosts give a heading: lower case, words joined by hyphens."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def _slugs(tokens: Iterable[Token]) -> Iterable[str]:
    seen: dict[str, int] = {}
    previous = None
    for token in tokens:
        if previous is not None and previous.type == "heading_open":
            base = slug(_plain(token))
            times = seen.get(base, 0)
            seen[base] = times + 1
            yield f"{base}-{times}" if times else base
        previous = token


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


class _Writer:
    """Renders one document."""

    def __init__(
        self, library: Library, name: str, tokens: list[Token], slugs: list[str], demote: int
    ) -> None:
        self.library = library
        self.name = name
        self.tokens = tokens
        self.slugs = iter(slugs)
        self.demote = demote
        self.stem = PurePosixPath(name).stem
        self.line = 0
        self.tables = 0
        self.headings: list[Heading] = []
        self.inserts: list[str] = []
        self.parser = _parser()

    def document(self) -> Document:
        parts = []
        _name_rows(self.tokens)
        folds: list[int] = []
        position = 0
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.map:
                self.line = token.map[0] + 1
            if token.type == "heading_open":
                parts.append(self.heading(token, self.tokens[position + 1]))
                position += 3
                continue
            parts.append(self.block(token, folds))
            position += 1
        for line in folds:
            self.fault("<details> is never closed", line)
        return Document(self.name, "".join(parts), self.headings, self.inserts)

    def fault(self, message: str, line: int | None = None, excerpt: str = "") -> None:
        line = self.line if line is None else line
        where = f"{self.name}, line {line}"
        source = self.library.sources.get(self.name, "")
        if excerpt and source.count(excerpt) == 1:
            template_line = source[: source.index(excerpt)].count("\n") + 1
            where = f"generator/{self.name}.j2, line {template_line} ({where})"
        self.library.faults.append(Fault(where, message))

    def heading(self, opening: Token, inline: Token) -> str:
        level = int(opening.tag[1]) + self.demote
        anchor = f"{self.stem}-{next(self.slugs)}"
        text = self.inline(inline)
        self.headings.append(Heading(level, anchor, text))
        title = html.escape(_plain(inline), quote=True)
        link = f'<a class="anchor" href="#{anchor}" aria-label="Link to: {title}">#</a>'
        return f'<h{level} id="{anchor}" class="{opening.tag}">{text} {link}</h{level}>\n'

    def block(self, token: Token, folds: list[int]) -> str:
        if token.type == "inline":
            return self.inline(token)
        if token.type == "math_block":
            return f'<div class="formula">{self.formula(token.content, display=True)}</div>\n'
        if token.type == "html_block":
            return self.raw(token.content, folds)
        if token.type == "fence":
            return self.code(token)
        if token.type == "table_open":
            self.tables += 1
            label = f"Table {self.tables} of {self.stem}"
            return f'<div class="table" role="group" aria-label="{label}"><table>\n'
        if token.type == "table_close":
            return "</table></div>\n"
        return str(self.parser.renderer.render([token], self.parser.options, {}))

    def inline(self, token: Token) -> str:
        parts = []
        line = self.line
        in_dropped_link = 0
        children = token.children or []
        for index, child in enumerate(children):
            after = children[index + 1] if index + 1 < len(children) else None
            if child.type in ("softbreak", "hardbreak"):
                self.line += 1
            if child.type == "math_inline":
                parts.append(self.formula_in_text(child, after))
            elif child.type == "image":
                parts.append(self.figure(child))
            elif child.type == "html_inline":
                parts.append(self.raw(child.content, []))
            elif child.type == "link_open":
                target = self.link(str(child.attrs["href"]))
                in_dropped_link += target is None
                parts.append(
                    f'<a href="{html.escape(target, quote=True)}">' if target else "<span>"
                )
            elif child.type == "link_close":
                parts.append("</span>" if in_dropped_link else "</a>")
                in_dropped_link = max(0, in_dropped_link - 1)
            else:
                if child.type == "text":
                    child.content = child.content.replace("≈ ", "≈\u00a0")
                parts.append(self.parser.renderer.render([child], self.parser.options, {}))
        self.line = line
        return "".join(parts)

    def formula_in_text(self, token: Token, after: Token | None) -> str:
        """Keep a formula and the punctuation behind it on one line."""
        math = self.formula(token.content, display=False)
        stop = re.match(r"[.,;:!?)]+", after.content) if after and after.type == "text" else None
        if not stop or after is None:
            return math
        after.content = after.content[stop.end() :]
        return f'<span class="unbroken">{math}{stop[0]}</span>'

    def formula(self, latex: str, *, display: bool) -> str:
        try:
            return to_mathml(latex, display=display)
        except MathError as error:
            self.fault(f"formula: {error}", excerpt=latex.strip())
            return ""

    def link(self, target: str) -> str | None:
        """Return where a link leads on the page; None for a file that is not part of it."""
        if re.match(r"https://[\w.-]+(/|$)", target):
            return target
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            self.fault(f"link: {target} is not https", excerpt=target)
            return target
        path, _, slug_wanted = target.partition("#")
        document = _resolve(self.name, path) if path else self.name
        if document in self.library.documents:
            anchor = self.library.anchor(document, slug_wanted or None)
            if anchor is None and slug_wanted.partition("?")[0] in self.library.extra_anchors:
                return f"#{slug_wanted}"
            if anchor is None:
                near = did_you_mean(slug_wanted, self.library.slugs(document))
                self.fault(f"link: {document} has no heading #{slug_wanted}{near}", excerpt=target)
                return ""
            return f"#{anchor}"
        if not (self.library.folder / document).exists():
            self.fault(f"link: there is no file {document}", excerpt=target)
        return None

    def figure(self, token: Token) -> str:
        source = str(token.attrs["src"])
        path = _resolve(self.name, source)
        text = self.library.files.get(path)
        if text is None or not path.endswith(".svg"):
            self.fault(f"figure: there is no {source} among the bundle's figures", excerpt=source)
            return ""
        alt = _plain(token) or token.content
        if not alt:
            self.fault(f"figure: {source} has no description", excerpt=source)
        label = html.escape(alt, quote=True)
        body = re.sub(r"<\?xml[^>]*\?>\s*", "", text)
        body = re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', body, count=1)
        width = re.search(r'<svg [^>]*\bwidth="(\d+)', body)
        natural = f' style="--natural: {width[1]}px"' if width else ""
        return f'<span class="figure"{natural}>{body}</span>'

    def raw(self, content: str, folds: list[int]) -> str:
        """Let the few allowed tags through, and note what is to be inserted."""
        self.inserts.extend(INSERT.findall(content))
        kept = _COMMENT.sub(lambda match: match[0] if INSERT.fullmatch(match[0]) else "", content)
        for closing, tag in re.findall(r"<(/?)([A-Za-z][\w-]*)", _COMMENT.sub("", content)):
            if tag not in _TAGS and closing:
                continue  # told at its beginning
            if tag not in _TAGS:
                self.fault(f"HTML: <{tag}> is not allowed{did_you_mean(tag, _TAGS)}")
            elif tag == "details" and not closing:
                folds.append(self.line)
            elif tag == "details":
                if folds:
                    folds.pop()
                else:
                    self.fault("HTML: </details> without its <details>")
        return kept

    def code(self, token: Token) -> str:
        language = token.info.strip()
        try:
            lexer: Any = get_lexer_by_name(language or "text")
        except ClassNotFound:
            self.fault(f"code: no language is called {language!r}")
            return ""
        formatter: Any = HtmlFormatter(nowrap=True, classprefix="k-")
        body = highlight(token.content, lexer, formatter)
        return f"<pre><code>{body}</code></pre>\n"


def _resolve(document: str, path: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(document).parent / path).parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _name_rows(tokens: list[Token]) -> None:
    """Make the first cell of each row its header, and an empty corner no header at all."""
    for index, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[index + 1].content:
            token.tag = tokens[index + 2].tag = "td"
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "td_open" and tokens[index - 1].type == "tr_open":
            token.tag = tokens[index + 2].tag = "th"
            token.attrSet("scope", "row")
