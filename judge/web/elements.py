"""Pieces of the page: text is only ever a text node."""

from __future__ import annotations

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement


class Text(TextElement):
    """An element of any tag with a text in it, which the browser never reads as markup."""

    def __init__(self, tag: str, text: str) -> None:
        super().__init__(tag=tag, text=text)


def faint(text: str) -> Text:
    """Add a paragraph in the smaller, fainter type."""
    return Text("p", text).classes("faint")


def small_button(text: str) -> ui.button:
    """Add a button without a frame."""
    return ui.button(text, color=None).props("flat dense no-caps")
