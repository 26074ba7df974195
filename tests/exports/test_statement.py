import pytest

from judge.authoring.export import kattis
from judge.authoring.export.latex import to_latex
from judge.authoring.export.statement import Statement, narrowed, unfolded, unlinked
from judge.faults import BundleError

TEXT = """# A title

Lead.

## First

```python
# no heading
## neither
```

## Examples

Shown.
"""


def test_a_statement_is_parted_at_headings_outside_code():
    parsed = Statement.parse(TEXT)
    assert parsed.title == "A title"
    assert parsed.lead == "Lead."
    assert [part.heading for part in parsed.sections] == ["First", "Examples"]
    assert "## neither" in parsed.sections[0].body


def test_sections_go_by_their_heading_whatever_its_case():
    assert "Shown" not in Statement.parse(TEXT).without({"examples"})
    assert "no heading" in Statement.parse(TEXT).without({"examples"})


def test_links_to_files_that_a_target_has_not_become_text():
    assert unlinked("see [the theory](theory.md#a) and [x](https://x.org/)") == (
        "see the theory and [x](https://x.org/)"
    )


def test_links_to_files_that_a_target_has_are_kept():
    assert unlinked("[a](theory.md#b) [c](other.md)", {"theory.md"}) == "[a](theory.md#b) c"


def test_a_fact_that_is_only_a_link_goes():
    assert unlinked("**Easy** · why: [theory](theory.md)") == "**Easy**"


def test_what_was_folded_stands_open():
    text = "<details>\n<summary>Hint 1</summary>\n\nThink.\n\n</details>\n"
    assert unfolded(text) == "**Hint 1**\n\nThink.\n"


def test_wide_tables_become_lists_and_narrow_ones_stay():
    narrow = "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    wide = f"| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | {'x' * 80} |\n"
    assert narrowed(narrow) == narrow
    assert narrowed(wide) == f"- 1: 2; {'x' * 80}\n"


def test_latex_escapes_what_is_special_and_sets_formulas_and_tables():
    text = to_latex(
        "## H_1\n\n100 % of `a_b` & $x_1 < 2$ − γ\n\n| a | b |\n| - | - |\n| 1 | 2 |\n", "T#"
    )
    assert r"\problemname{T\#}" in text
    assert r"\section*{H\_1}" in text
    assert r"100 \% of \texttt{a\_b} \& $x_1 < 2$ $-$ $\gamma$" in text
    assert "\\begin{tabular}{ll}\na & b \\\\\n\\hline\n1 & 2 \\\\\n\\end{tabular}" in text


def test_latex_says_which_letter_it_has_not():
    with pytest.raises(BundleError, match="no letter for '猫'"):
        to_latex("a 猫", "T")


def test_latex_refuses_what_has_no_form_in_it():
    with pytest.raises(BundleError, match="has no form in LaTeX: <b>"):
        to_latex("<b>", "T")


def test_the_statement_of_a_package_has_neither_title_nor_samples_nor_another_judges_rules(
    described,
):
    text = kattis.markdown(described)
    assert f"# {described.problem.name}\n" not in text
    for heading in ("## Examples", "## Starter code", "<details>", "](theory.md"):
        assert heading not in text
    assert text.count("## How it is judged") == 1
    assert "2 \\times 10^{-12}" in text
    assert "3 s" in text
