"""Markdown to the LaTeX that problem packages allow in a statement.

The subset is the one that the Kattis problem package format 2025-09 asks systems to render:
sections, lists, tabular, verbatim, and what MathJax knows between dollars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from judge.faults import BundleError, Fault

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': r"\textquotedbl{}",
    "−": r"$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≈": r"$\approx$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "→": r"$\to$",
    "⊤": r"$\top$",
    "²": r"$^2$",
    "³": r"$^3$",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "\N{NO-BREAK SPACE}": "~",
}
_LETTERS = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon varphi chi psi omega"
)
_GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψω", _LETTERS.split(), strict=True))
_LAST_PLAIN = "ſ"
"""The last letter of Latin Extended-A, which T1 fonts have."""

_SIMPLE = {
    "paragraph_open": "",
    "paragraph_close": "\n\n",
    "heading_close": "}\n\n",
    "bullet_list_open": "\\begin{itemize}\n",
    "bullet_list_close": "\\end{itemize}\n\n",
    "ordered_list_open": "\\begin{enumerate}\n",
    "ordered_list_close": "\\end{enumerate}\n\n",
    "list_item_open": "\\item ",
    "list_item_close": "",
    "blockquote_open": "\\begin{quote}\n",
    "blockquote_close": "\\end{quote}\n\n",
    "strong_open": "\\textbf{",
    "strong_close": "}",
    "em_open": "\\emph{",
    "em_close": "}",
    "link_close": "}",
    "softbreak": "\n",
    "hardbreak": "\\\\\n",
    "thead_open": "",
    "thead_close": "\\hline\n",
    "tbody_open": "",
    "tbody_close": "",
    "tr_open": "",
    "table_close": "\\end{tabular}\n\n",
}


def to_latex(markdown: str, title: str) -> str:
    r"""Return a statement's body.

    Args:
        markdown: the statement, without raw HTML and figures.
        title: the problem's name, for `\problemname`.

    Raises:
        BundleError: the text has something that the subset has not.
    """
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.use(dollarmath_plugin, allow_space=False, double_inline=False)
    body = "".join(_blocks(parser.parse(markdown)))
    text = f"\\problemname{{{escape(title)}}}\n\n{body}"
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def escape(text: str) -> str:
    """Return plain text as LaTeX sets it; raises BundleError for a character that it can't."""
    return "".join(map(_character, text))


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in _GREEK:
        return f"$\\{_GREEK[character]}$"
    if character > _LAST_PLAIN:
        raise BundleError([Fault("statement.md", f"LaTeX has no letter for {character!r}")])
    return character


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    for index, token in enumerate(tokens):
        if token.type == "inline":
            yield from _inline(token.children or [])
        elif token.type == "heading_open":
            yield "\\section*{" if token.tag == "h2" else "\\subsection*{"
        elif token.type == "math_block":
            yield f"$$\n{token.content.strip()}\n$$\n\n"
        elif token.type in ("fence", "code_block"):
            yield f"\\begin{{verbatim}}\n{token.content}\\end{{verbatim}}\n\n"
        elif token.type == "table_open":
            yield f"\\begin{{tabular}}{{{_columns(tokens[index:])}}}\n"
        elif token.type in ("th_open", "td_open"):
            yield "" if tokens[index - 1].type == "tr_open" else " & "
        elif token.type in ("th_close", "td_close"):
            yield ""
        elif token.type == "tr_close":
            yield " \\\\\n"
        elif token.type == "html_block" and token.content.lstrip().startswith("<!--"):
            yield ""
        elif token.type in _SIMPLE:
            yield _SIMPLE[token.type]
        else:
            raise _unknown(token)


def _columns(tokens: Sequence[Token]) -> str:
    """Give every column its natural width, and the last one of three or more room to wrap."""
    end = next(index for index, token in enumerate(tokens) if token.type == "tr_close")
    count = sum(token.type == "th_open" for token in tokens[:end])
    return "l" * (count - 1) + r"p{0.4\textwidth}" if count > 2 else "l" * count


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "text":
            yield escape(token.content)
        elif token.type == "code_inline":
            yield f"\\texttt{{{escape(token.content)}}}"
        elif token.type == "math_inline":
            yield f"${token.content}$"
        elif token.type == "link_open":
            target = str(token.attrs["href"]).replace("%", r"\%").replace("#", r"\#")
            yield f"\\href{{{target}}}{{"
        elif token.type in _SIMPLE:
            yield _SIMPLE[token.type]
        else:
            raise _unknown(token)


def _unknown(token: Token) -> BundleError:
    what = token.content.strip()[:60] or token.type
    return BundleError([Fault("statement.md", f"has no form in LaTeX: {what}")])
