"""The page as a document: complete in itself, well formed, every link with its place."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from judge.authoring.markdown import slug
from judge.authoring.page import page
from judge.authoring.statement import Texts, render
from judge.faults import BundleError
from judge.problem import Problem

VOID = {"br", "hr", "img", "input", "link", "meta", "source"}
# MathML and SVG elements may close themselves.
FOREIGN = {"mrow", "mspace", "rect", "circle", "path", "polygon", "mtd"}


class Outline(HTMLParser):
    """What a document holds: its elements in order, and what is not closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.words: dict[int, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID | FOREIGN:
            self.faults.append(f"<{tag}/> is no element that closes itself")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        index = len(self.elements) - 1
        self.words[index] = self.words.get(index, "") + data

    def attributes(self, name: str) -> list[str]:
        return [str(attributes[name]) for _, attributes in self.elements if name in attributes]


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Problem.load(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def texts(problem: Problem) -> Texts:
    return render(problem)


@pytest.fixture(scope="module")
def html(problem: Problem, texts: Texts) -> str:
    return page(problem, texts)


@pytest.fixture(scope="module")
def outline(html: str) -> Outline:
    return Outline(html)


def test_every_element_is_closed_where_it_belongs(outline: Outline) -> None:
    assert outline.faults == []
    assert outline.open == []


def test_nothing_is_loaded_from_anywhere(html: str, outline: Outline) -> None:
    assert outline.attributes("src") == []
    assert not [tag for tag, _ in outline.elements if tag in ("link", "iframe", "object", "base")]
    loaded = re.findall(r"""(?:url\(["']?|@import\s+["']?)([^"')\s]{1,24})""", html)
    assert {address.partition(";")[0] for address in loaded} == {"data:font/woff"}
    assert "default-src 'none'" in html


def test_ids_are_unique_and_every_link_on_the_page_has_its_place(outline: Outline) -> None:
    ids = outline.attributes("id")
    assert len(ids) == len(set(ids))
    for target in outline.attributes("href"):
        if target.startswith("#"):
            assert target[1:].partition("?")[0] in ids, target
        else:
            assert target.startswith("https://"), target
    for reference in (
        *outline.attributes("aria-labelledby"),
        *outline.attributes("aria-describedby"),
    ):
        assert reference in ids


def test_headings_descend_one_level_at_a_time_from_a_single_title(outline: Outline) -> None:
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_contents_name_every_section(outline: Outline, texts: Texts) -> None:
    links = [a["href"] for tag, a in outline.elements if tag == "a" and "class" not in a]
    for name in ("statement.md", "theory.md"):
        text = re.sub(r"```.*?```", "", texts.files[name], flags=re.DOTALL)
        for title in re.findall(r"^## (.+)$", text, flags=re.MULTILINE):
            assert f"#{name.removesuffix('.md')}-{slug(title)}" in links


def test_every_figure_is_described_and_brings_its_own_colours(
    outline: Outline, texts: Texts
) -> None:
    figures = [a for tag, a in outline.elements if tag == "svg"]
    assert len(figures) == sum(path.endswith(".svg") for path in texts.files)
    assert all(len(str(a["aria-label"])) > 30 and a["role"] == "img" for a in figures)
    for path, text in texts.files.items():
        if path.endswith(".svg"):
            assert "prefers-color-scheme: dark" in text
            styles = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
            assert styles is not None
            name = re.search(r'<svg id="([\w-]+)"', text)
            assert name is not None
            selectors = re.findall(r"(?:^|\}|\{)\s*(#[\w-]+)", styles[1], re.MULTILINE)
            assert set(selectors) == {f"#{name[1]}"}


def test_tables_name_their_rows_and_columns(outline: Outline) -> None:
    headers = [a for tag, a in outline.elements if tag == "th"]
    assert headers
    assert all(a.get("scope") in ("row", "col") for a in headers)


def test_formulas_carry_their_latex(outline: Outline) -> None:
    formulas = [a for tag, a in outline.elements if tag == "math"]
    assert len(formulas) > 100
    assert all(a.get("alttext") for a in formulas)


def test_inline_formulas_survive_code_hosts(texts: Texts) -> None:
    """Markdown takes a backslash before punctuation away, there even inside of `$…$`."""
    for name in ("statement.md", "theory.md"):
        text = re.sub(r"```.*?```|\$\$.*?\$\$", "", texts.files[name], flags=re.DOTALL)
        formulas = re.findall(r"\$[^$\n]+\$", text)
        assert formulas
        assert [formula for formula in formulas if re.search(r"\\[^A-Za-z]", formula)] == []


def test_hints_and_answers_are_folded(outline: Outline, problem: Problem) -> None:
    folds = [a for tag, a in outline.elements if tag == "details"]
    assert len(folds) > 30
    assert not any("open" in a for a in folds)


def test_the_tables_of_every_sample_stand_there_without_scripts(html: str) -> None:
    section = html.split('<section id="explorer"')[1].split("</section>", maxsplit=1)[0]
    for title in ("A single token", "Two tokens", "Two tokens that mirror each other", "Two heads"):
        assert f"<summary>{title}: every step</summary>" in section
    assert "<caption>head 1: weights</caption>" in section
    assert "0.9220" in section


def test_data_cannot_end_their_script(problem: Problem, texts: Texts) -> None:
    hostile = {
        **texts.inserts["explorer"],
        "data": {"cases": ["</script><script>alert(1)</script>"]},
    }
    changed = Texts(texts.files, {**texts.inserts, "explorer": hostile}, texts.sources)
    assert "</script><script>alert" not in page(problem, changed)


def test_the_explorer_knows_samples_alone(texts: Texts) -> None:
    cases: list[dict[str, Any]] = texts.inserts["explorer"]["data"]["cases"]
    assert not any(case["name"].startswith("secret/") for case in cases)
    assert cases[0]["name"] == "sample/two-heads"
    assert all("expected" in case for case in cases)


def test_no_secret_number_stands_in_the_texts(problem: Problem, html: str) -> None:
    from judge.testcases import load_cases

    shown = set(re.findall(r"-?\d\.\d{9,}", html))
    for case in load_cases(problem):
        if case.group == "secret":
            assert not shown & {repr(float(value)) for value in case.expected.ravel() if value % 1}


def test_a_figure_without_description_is_refused(problem: Problem, texts: Texts) -> None:
    files = {**texts.files, "statement.md": "# A\n\n![](generator/figures/block.svg)\n"}
    with pytest.raises(BundleError, match=r"statement.md, line 3: figure: .* has no description"):
        page(problem, Texts(files, texts.inserts, {}))


def test_the_page_stays_small(html: str) -> None:
    assert len(html.encode()) < 750_000
