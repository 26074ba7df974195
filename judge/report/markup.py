"""Elements of HTML and SVG as strings that escape whatever they are given."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TypeAlias

from judge.report.writing import visible


class Markup(str):
    """Text that is markup already; every other string is escaped when it becomes a child."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"

_VOID = frozenset({"meta", "br", "hr"})
# Void in SVG when it has no children: written short.
_SHORT = frozenset({"path", "rect"})


def element(name: str, /, *children: Child, **attributes: object) -> Markup:
    """Return one element.

    Args:
        name: its tag.
        children: text, which is escaped; `Markup`; or iterables of both. None is left out.
        attributes: `class_` stands for class, `_` inside a name for `-`. False and None are left
            out, True gives an attribute without a value.
    """
    opening = name + "".join([_attribute(*item) for item in attributes.items()])
    if name in _VOID:
        return Markup(f"<{opening}>")
    inside = join(children)
    if not inside and name in _SHORT:
        return Markup(f"<{opening}/>")
    return Markup(f"<{opening}>{inside}</{name}>")


def join(children: Child) -> Markup:
    """Return children one after the other, text escaped."""
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(html.escape(visible(children), quote=False))
    return Markup("".join([join(child) for child in children or ()]))


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {written}"
    return f' {written}="{html.escape(visible(str(value)))}"'
