"""LaTeX to MathML, strictly: what the converter would let through in silence is an error here."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from io import BytesIO
from xml.etree import ElementTree

from fontTools.ttLib import TTFont
from latex2mathml.converter import convert
from latex2mathml.exceptions import (
    DenominatorNotFoundError,
    DoubleSubscriptsError,
    DoubleSuperscriptsError,
    ExtraLeftOrMissingRightError,
    InvalidAlignmentError,
    InvalidStyleForGenfracError,
    InvalidWidthError,
    LimitsMustFollowMathOperatorError,
    MissingEndError,
    MissingSuperScriptOrSubscriptError,
    NoAvailableTokensError,
    NumeratorNotFoundError,
)

FONT_FILE = "math-font.woff"

_ERRORS = (
    DenominatorNotFoundError,
    DoubleSubscriptsError,
    DoubleSuperscriptsError,
    ExtraLeftOrMissingRightError,
    InvalidAlignmentError,
    InvalidStyleForGenfracError,
    InvalidWidthError,
    LimitsMustFollowMathOperatorError,
    MissingEndError,
    MissingSuperScriptOrSubscriptError,
    NoAvailableTokensError,
    NumeratorNotFoundError,
    # The converter also stops on some broken input with these.
    IndexError,
    KeyError,
    StopIteration,
    ValueError,
)

_ENVIRONMENTS = {"matrix", "pmatrix", "bmatrix", "vmatrix", "cases", "array"}
_ARGUMENTS = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2}
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_ITALIC_LATIN = 0x1D44E - ord("a"), 0x1D434 - ord("A")
_ITALIC_GREEK = 0x1D6FC - ord("α"), 0x1D6E2 - ord("Α")
_PLANCK = 0x210E  # Unicode has no italic h of its own: U+210E stands for it


class MathError(ValueError):
    """A formula is not valid LaTeX, or uses what can't be shown."""


@cache
def to_mathml(latex: str, *, display: bool = False) -> str:
    """Convert one formula.

    Args:
        latex: what stands between the dollar signs.
        display: on a line of its own.

    Returns:
        A `math` element of MathML Core, with the LaTeX as its `alttext`.

    Raises:
        MathError: braces or environments don't match, a command is unknown, the converter gives
            up, or the embedded font lacks a character.
    """
    source = latex.strip()
    _check_structure(source)
    try:
        markup = convert(_digestible(source), display="block" if display else "inline")
    except _ERRORS as error:
        detail = str(error) or re.sub(r"(?<!^)(?=[A-Z])", " ", type(error).__name__).lower()
        raise MathError(f"{detail} in {source!r}") from error
    root = ElementTree.fromstring(  # noqa: S314 (what the converter wrote)
        markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "", 1)
    )
    for element in root.iter():
        _check_element(element, source)
        _to_core(element, display=display)
    root.set("alttext", " ".join(source.split()))
    return ElementTree.tostring(root, encoding="unicode")


def _digestible(source: str) -> str:
    r"""Write in the converter's dialect what it reads otherwise than LaTeX does.

    It knows no `\bigl` and its kin as a pair; without them parentheses keep their natural size,
    which a MathML `mo` then has anyway. Of `\lvert` and `\rvert` it forgets which is which.
    """
    source = re.sub(r"\\(?:big|Big)[lr]?(?![A-Za-z])", "", source)
    return source.replace(r"\lvert", r"\left|").replace(r"\rvert", r"\right|")


def _check_structure(source: str) -> None:
    if not source:
        raise MathError("an empty formula")
    depth = 0
    bare = re.sub(r"\\[\\{}]", "", source)
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            break
    if depth:
        raise MathError(f"braces that don't match in {source!r}")
    open_environments: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{([^}]*)\}", source):
        if kind == "begin":
            if name not in _ENVIRONMENTS:
                known = ", ".join(sorted(_ENVIRONMENTS))
                raise MathError(f"environment {name!r} is none of {known}, in {source!r}")
            open_environments.append(name)
        elif not open_environments or open_environments.pop() != name:
            raise MathError(f"\\end{{{name}}} without its \\begin in {source!r}")
    if open_environments:
        raise MathError(f"\\begin{{{open_environments[-1]}}} without its \\end in {source!r}")
    if not open_environments and "&" in re.sub(
        r"\\begin\{(\w+)\}.*?\\end\{\1\}", "", source, flags=re.DOTALL
    ):
        raise MathError(f"& outside of an environment in {source!r}")


def _check_element(element: ElementTree.Element, source: str) -> None:
    """Refuse a command the converter let through, an argument it missed, an unknown character."""
    text = element.text or ""
    if text.startswith("\\"):
        raise MathError(f"unknown command {text} in {source!r}")
    wanted = _ARGUMENTS.get(element.tag)
    if wanted is not None and len(element) != wanted:
        raise MathError(f"an argument is missing ({element.tag}) in {source!r}")
    variant = element.get("mathvariant", "normal")
    if variant not in ("normal", "bold"):
        raise MathError(f"letters in {variant} can't be shown, in {source!r}")
    for character in text:
        shown = italic(character) if element.tag == "mi" and len(text) == 1 else character
        if ord(shown) not in _font_characters():
            code = f"U+{ord(shown):04X}"
            raise MathError(f"the embedded math font has no {shown!r} ({code}), in {source!r}")


def _to_core(element: ElementTree.Element, *, display: bool) -> None:
    """Mend what the converter writes otherwise than MathML Core shows well.

    Function names, infinity and the transpose sign are no operators: as such they would get space
    around them. Limits of a sum on a line of its own belong below and above it.
    """
    text = element.text or ""
    if element.attrib.pop("mathvariant", "normal") == "bold":
        element.text = "".join(map(_bold, text))
    if element.tag == "mo" and ((len(text) > 1 and text.isalpha()) or text in ("∞", "⊤", "…")):
        element.tag = "mi"
        element.attrib.clear()
    if display and element.tag in _LIMITS and len(element) and element[0].text in ("∑", "∏"):
        element.tag = _LIMITS[element.tag]


def italic(character: str) -> str:
    """Return the character that MathML Core shows for a single letter in an `mi` (section 4.2)."""
    if character == "h":
        return chr(_PLANCK)
    if character.isascii() and character.isalpha():
        return chr(ord(character) + _ITALIC_LATIN[character.isupper()])
    if "α" <= character <= "ω":
        return chr(ord(character) + _ITALIC_GREEK[0])
    if "Α" <= character <= "Ω":
        return chr(ord(character) + _ITALIC_GREEK[1])
    return character


def _bold(character: str) -> str:
    """Return the bold letter or digit; MathML Core has no `mathvariant` that would make it so."""
    if character.isascii() and character.isalpha():
        first, bold = ("A", 0x1D400) if character.isupper() else ("a", 0x1D41A)
        return chr(bold + ord(character) - ord(first))
    return (
        chr(0x1D7CE + int(character)) if character.isascii() and character.isdigit() else character
    )


def font_bytes() -> bytes:
    """Return the embedded math font, a WOFF file (OFL; see `data/OFL.txt`)."""
    return (resources.files("judge.authoring") / "data" / FONT_FILE).read_bytes()


@cache
def _font_characters() -> frozenset[int]:
    with TTFont(BytesIO(font_bytes()), lazy=True) as font:
        return frozenset(font.getBestCmap())
