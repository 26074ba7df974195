"""LaTeX to MathML: what is shown, and what is refused."""

from __future__ import annotations

import re
from io import BytesIO
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from judge.authoring import mathfont
from judge.authoring.mathml import MathError, font_bytes, italic, to_mathml


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"\frac{1", "braces that don't match"),
        ("a}b", "braces that don't match"),
        (r"\frac{1}", "argument is missing"),
        (r"\foo{x}", r"unknown command \\foo"),
        ("x^", "missing super script"),
        ("x_1_2", "double subscripts"),
        (r"\left( x", "left or missing right"),
        ("a & b", "& outside of an environment"),
        (r"\begin{bmatrix}1 & 2", r"without its \\end"),
        (r"1 \end{bmatrix}", r"without its \\begin"),
        (r"\begin{tikz}a\end{tikz}", "environment 'tikz' is none of"),
        (r"\begin{aligned}a\end{aligned}", "environment 'aligned' is none of"),
        (r"\text{日}", "has no '日'"),
        (r"\mathsf{T}", "has no|sans-serif"),
        ("  ", "empty formula"),
    ],
)
def test_a_bad_formula_is_refused_with_its_source(latex: str, message: str) -> None:
    with pytest.raises(MathError, match=message):
        to_mathml(latex)


def parsed(latex: str, *, display: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(to_mathml(latex, display=display))


def test_the_source_is_kept_for_those_who_read_latex() -> None:
    assert parsed(r"\frac{a}{b} < 1").get("alttext") == r"\frac{a}{b} < 1"


def test_function_names_and_infinity_are_no_operators() -> None:
    root = parsed(r"\operatorname{LayerNorm}(x) \to -\infty, K^{\top}")
    names = {element.text for element in root.iter("mi")}
    assert {"LayerNorm", "∞", "⊤"} <= names


def test_limits_of_a_displayed_sum_stand_below_and_above() -> None:
    assert parsed(r"\sum_{i=1}^{n} x_i", display=True).find(".//munderover") is not None
    assert parsed(r"\sum_j v_j").find(".//munder") is None


def test_bars_know_their_side() -> None:
    bars = [bar for bar in parsed(r"\lvert a - b \rvert").iter("mo") if bar.text == "|"]
    assert [bar.get("form") for bar in bars] == ["prefix", "postfix"]


def test_bold_is_a_character_of_its_own() -> None:
    root = parsed(r"\mathbf{1} \mathbf{x}")
    assert "".join(root.itertext()) == "𝟏𝐱"
    assert not any(element.get("mathvariant") for element in root.iter())


def test_single_letters_are_shown_italic() -> None:
    assert [italic(letter) for letter in "xWhγΓ1"] == ["𝑥", "𝑊", "ℎ", "𝛾", "𝛤", "1"]


def test_the_font_has_what_formulas_of_the_explorer_need() -> None:
    with TTFont(BytesIO(font_bytes())) as font:
        present = set(font.getBestCmap())
        assert "MATH" in font
        assert not re.search("STIX", font["name"].getDebugName(1))
        assert "Open Font License" in font["name"].getDebugName(13)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγεθμσφ"
    needed = {ord(italic(letter)) for letter in letters} | set(
        map(ord, "=+−·×⊤∈∞√…≤≥≈⊙∑0123456789")
    )
    assert needed <= present


def test_making_the_font_again_from_itself_changes_no_character() -> None:
    with (
        TTFont(BytesIO(mathfont.make(font_bytes()))) as again,
        TTFont(BytesIO(font_bytes())) as font,
    ):
        assert again.getBestCmap() == font.getBestCmap()
        assert again["MATH"].table.MathConstants.AxisHeight.Value > 0
