"""The page: one file, nothing from outside, and a submission's text is only ever text."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.problem import Tolerance
from judge.report.details import CaseDetail
from judge.report.html import to_html
from judge.report.markup import Markup, element, join
from judge.verdicts import Diagnosis, Reason, Verdict
from tests.conftest import ROOT
from tests.report.reports import SOURCE, accepted, by_kind, failed, report

KINDS = by_kind()
VOID = {"meta", "link", "br", "hr", "path", "rect"}


class Page(HTMLParser):
    """Reads a page strictly: every element closed in order, attributes and text collected."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(data.decode("utf-8"))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def detail(shape=(2, 3, 4), wrong=5) -> CaseDetail:
    expected = np.arange(np.prod(shape), dtype=np.float64).reshape(shape) - 3
    actual = expected.copy()
    actual.flat[:wrong] += 1
    return CaseDetail(
        {"x": expected, "num_heads": 2}, expected, actual, Tolerance(1e-12, 1e-12), "x = 1"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_well_formed_and_tells_the_verdict(kind):
    whole, source = KINDS[kind]
    page = Page(to_html(whole, source))
    assert page.elements[0][0] == "html"
    assert page.elements[0][1]["lang"] == "en"
    assert whole.verdict.meaning in page.words
    for case in whole.cases:
        assert case.name in page.words


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_comes_from_outside(kind):
    details = {case.name: detail() for case in KINDS[kind][0].cases}
    page = Page(to_html(*KINDS[kind], details=details))
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed", "img", "form", "base", "use", "image")
        for name in ("src", "href", "action", "srcset", "data", "xlink:href", "style"):
            assert attributes.get(name) in (None, "data:,")
        assert not [name for name in attributes if name.startswith("on")]
    assert len(page.tags("script")) == len(page.tags("style")) == 1


def test_the_policy_allows_this_style_and_this_script_alone():
    data = to_html(*KINDS["accepted"]).decode()
    policy = Page(data.encode()).tags("meta")[1]["content"]
    for tag in ("style", "script"):
        body = re.search(f"<{tag}>(.*?)</{tag}>", data, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "http" not in body.replace("http://www.w3.org/2000/svg", "")
    assert policy.startswith("default-src 'none';")


def test_failures_come_before_the_table_and_the_diagnosis_between():
    words = Page(to_html(*KINDS["wrong-values"])).words
    places = [words.index(text) for text in ("What fails", "What it looks like", "All cases")]
    assert places == sorted(places)


def test_the_line_that_failed_is_marked():
    page = Page(to_html(*KINDS["exception"]))
    assert {"class": "meant"} in page.tags("span")
    assert "return x @ scale" in page.words


def test_a_heat_map_has_words_for_those_who_do_not_see_it():
    bad = KINDS["wrong-values"][0]
    page = Page(to_html(bad, details={"sample/two-heads": detail((2, 4, 8), wrong=9)}))
    labels = [attributes["aria-label"] for attributes in page.tags("svg")]
    assert any("9 of 64 elements are beyond the tolerance" in label for label in labels)
    assert "The largest errors as numbers" in page.words
    assert all(attributes.get("role") == "img" for attributes in page.tags("svg"))


def test_values_are_shown_of_those_cases_alone_that_were_given():
    bad = KINDS["wrong-values"][0]
    page = Page(to_html(bad, details={"sample/two-heads": detail()}))
    assert page.words.count("Expected, got and difference") == 1
    assert Page(to_html(bad)).words.count("Expected, got and difference") == 0


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (7,), (4, 5), (1, 1, 1), (2, 2, 2, 3)])
def test_results_of_any_shape_can_be_drawn(shape):
    whole = report([failed("sample/x", Verdict.WA, Reason.VALUE)])
    Page(to_html(whole, details={"sample/x": detail(shape, wrong=1)}))


@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_whole_numbers_and_booleans_can_be_drawn(dtype):
    expected = np.array([[1, 0], [1, 1]]).astype(dtype)
    actual = np.array([[1, 1], [1, 1]]).astype(dtype)
    whole = report([failed("sample/x", Verdict.WA, Reason.VALUE)])
    page = Page(to_html(whole, details={"sample/x": CaseDetail({}, expected, actual)}))
    assert "difference" in page.words


def test_values_that_are_not_finite_can_be_drawn():
    expected = np.ones((4, 12))
    actual = np.array([np.nan, np.inf, -np.inf, 1.0] * 12).reshape(4, 12)
    whole = report([failed("sample/x", Verdict.WA, Reason.NON_FINITE)])
    page = Page(to_html(whole, details={"sample/x": CaseDetail({}, expected, actual)}))
    assert any("36 of 48" in a["aria-label"] for a in page.tags("svg"))


hostile = st.text(st.characters(codec=None), max_size=40) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</pre></style></script><img src=x onerror=alert(1)>",
        '" onmouseover="alert(1)',
        "]]>&lt;&amp;",
        "<!--",
    ]
)


@given(message=hostile, output=hostile, source=hostile, name=hostile, shows=hostile, value=hostile)
def test_whatever_a_submission_says_is_text(message, output, source, name, shows, value):
    def build(message, output, source, name, shows, value):
        bad = failed(
            "sample/x",
            Verdict.RTE,
            Reason.EXCEPTION,
            message,
            line=1,
            output=output,
            traceback=[source, source],
            exception=name,
        )
        finding = Diagnosis(id=name, title=message, stage="", advice=output, counterexample=name)
        whole = report(
            [bad, accepted("sample/y")], submission=name, notes=[message], diagnosis=[finding]
        )
        values = {"sample/x": CaseDetail({"text": value}, np.zeros(3), None, snippet=value)}
        return Page(to_html(whole, source, details=values, shows={"sample/x": shows}))

    plain = build("m", "o", "s", "n", "w", "v")
    page = build(
        message or "m", output or "o", source or "s", name or "n", shows or "w", value or "v"
    )
    kinds = {tag for tag, _ in page.elements}
    assert kinds <= {tag for tag, _ in plain.elements} | {"br"}
    assert len(page.tags("script")) == 1
    for _, attributes in page.elements:
        assert not [key for key in attributes if key.startswith("on")]


def test_elements_escape_text_and_attributes_and_leave_markup():
    made = element("p", "<b>", Markup("<i>x</i>"), ["&", None], title='"<', hidden=True, id=None)
    assert made == '<p title="&quot;&lt;" hidden>&lt;b&gt;<i>x</i>&amp;</p>'
    assert join(["a<", Markup("<br>")]) == "a&lt;<br>"


def test_source_text_is_shown_as_it_stands():
    bad = failed("sample/x", Verdict.RTE, Reason.EXCEPTION, "E", line=5)
    words = "".join(Page(to_html(report([bad]), SOURCE)).text)
    assert '    """Return x, scaled."""' in words


def test_the_documented_example_runs(monkeypatch, capsys):
    text = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    monkeypatch.chdir(ROOT)
    made: dict[str, object] = {}
    exec(example, made)
    assert capsys.readouterr().out.startswith("WA")
    Page(made["page"])
