"""Parts of a document that are generated, between markers, so that text and data can't drift."""

from __future__ import annotations


def replace_section(text: str, name: str, content: str) -> str:
    """Return a Markdown text with one generated section written anew.

    Args:
        text: the document, with the lines `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
        name: the section's name.
        content: what stands between the markers.

    Raises:
        ValueError: the markers are not there, exactly once and in order.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"the text needs the lines {begin} and {end}, once each, in this order")
    head, tail = text.partition(begin)[0], text.partition(end)[2]
    return f"{head}{begin}\n{content.strip()}\n{end}{tail}"
