"""Rendering texts: what stops it, where that is said, and that nothing drifts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from code_blocks import code_blocks

from judge.authoring.formatting import FILTERS
from judge.authoring.markdown import Library, slug
from judge.authoring.page import page
from judge.authoring.statement import render, stale, write
from judge.cli import main
from judge.faults import BundleError
from judge.problem import Problem

TINY = Path(__file__).parents[1] / "bundles" / "tiny"
GOOD = "# {{ problem.name }}\n\nOne formula: $a^2$.\n"

TEMPLATE = "generator/statement.md.j2, line "
LINE = "statement.md, line "
BOTH = f"{TEMPLATE}3 ({LINE}3): "

Setter = Callable[..., Problem]


@pytest.fixture
def tiny(tmp_path: Path) -> Setter:
    """Make a bundle with the given template, and files beside it."""

    def make(template: str = GOOD, **files: str) -> Problem:
        folder = tmp_path / "tiny"
        shutil.copytree(TINY, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in {"generator/statement.md.j2": template, **files}.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return Problem.load(folder)

    return make


def faults(problem: Problem) -> list[str]:
    """Render and return everything that stopped it."""
    try:
        page(problem, render(problem))
    except BundleError as error:
        return [str(fault) for fault in error.faults]
    return []


def test_a_bundle_needs_no_more_than_a_template(tiny: Setter) -> None:
    problem = tiny(GOOD + "\n{{ samples | length }} samples, {{ starter | length }} characters.\n")
    texts = render(problem)
    assert texts.files["statement.md"].startswith("# Power Sum\n")
    assert "<h1" in page(problem, texts)


def test_a_bundle_without_templates_says_so() -> None:
    with pytest.raises(BundleError, match=r"generator: there is no template"):
        render(Problem.load(TINY))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{{ nothing_of_the_kind }}", TEMPLATE + "3: 'nothing_of_the_kind' is undefined"),
        ("{{ problem.nam }}", TEMPLATE + "3: 'judge.problem.Problem object' has no"),
        ("{{ 0.1 + 0.2 }}", TEMPLATE + "3: 0.30000000000000004 needs a filter"),
        ("{{ none }}", TEMPLATE + "3: a value that is None can't be printed"),
        ("{% if %}", TEMPLATE + "3: Expected an expression"),
        ("{{ 0.15 | power_of_ten }}", TEMPLATE + "3: 0.15 has more than one"),
        (r"Bad: $\frac{1}$", BOTH + "formula: an argument"),
        ("$$\n\\nope\n$$", "line 4 (statement.md, line 3): formula: unknown command"),
        ("[there](#nowhere)", BOTH + "link: statement.md has no heading #nowhere"),
        ("[there](#power-summ)", 'has no heading #power-summ (did you mean "power-sum"?)'),
        ("[there](docs/none.md)", BOTH + "link: there is no file docs/none.md"),
        ("[there](http://example.org/)", "link: http://example.org/ is not https"),
        ("[there](ftp://example.org/)", "link: ftp://example.org/ is not https"),
        ("![what](none.svg)", BOTH + "figure: there is no none.svg"),
        ("<details>\n<summary>x</summary>\n\nopen", LINE + "3: <details> is never closed"),
        ("text\n\n</details>", LINE + "5: HTML: </details> without its <details>"),
        ("<script>alert(1)</script>", LINE + "3: HTML: <script> is not allowed"),
        ("inline <img src=x>", LINE + "3: HTML: <img> is not allowed"),
        ("<!-- insert: explorer -->", "statement.md: nothing is called 'explorer' to insert"),
        ("```nolanguage\nx\n```", LINE + "3: code: no language is called 'nolanguage'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(tiny: Setter, line: str, message: str) -> None:
    found = faults(tiny(f"# {{{{ problem.name }}}}\n\n{line}\n"))
    assert len(found) == 1
    assert message in found[0]


def test_all_faults_come_in_one_run(tiny: Setter) -> None:
    found = faults(tiny("# A\n\n$\\nope$\n\n[a](#b)\n\n<video>\n"))
    assert len(found) == 3


def test_a_fault_of_the_helper_is_told_with_its_line(tiny: Setter) -> None:
    helper = '"""Texts."""\n\n\ndef values(material):\n    return {"x": 1 / 0}\n'
    (found,) = faults(tiny(GOOD, **{"generator/texts/__init__.py": helper}))
    assert found.startswith("generator/texts/__init__.py, line 5: values fails: ZeroDivisionError")


def test_a_fault_writes_nothing(tiny: Setter, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = tiny("# A\n\n$\\nope$\n")
    monkeypatch.chdir(problem.folder)
    with pytest.raises(SystemExit) as stopped:
        main(["statement", "--no-open"])
    assert stopped.value.code == 2
    assert not (problem.folder / "statement.md").exists()
    assert not (problem.folder / "build").exists()


def test_check_names_what_is_stale_and_changes_nothing(
    tiny: Setter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    helper = (
        "def figures(values):\n"
        "    return {'dot': '<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\"></svg>'}\n"
    )
    problem = tiny(
        GOOD, **{"generator/texts/__init__.py": helper, "generator/figures/old.svg": "<svg/>"}
    )
    monkeypatch.chdir(problem.folder)

    def run(*arguments: str) -> tuple[object, list[str]]:
        with pytest.raises(SystemExit) as stopped:
            main(["statement", *arguments])
        return stopped.value.code, capsys.readouterr().out.splitlines()

    everything = ["generator/figures/dot.svg", "generator/figures/old.svg", "statement.md"]
    code, lines = run("--check")
    assert code == 1
    assert lines[:-1] == everything
    assert not (problem.folder / "statement.md").exists()

    code, lines = run("--no-open")
    assert code == 0
    assert lines[:-1] == [f"updated {path}" for path in everything]
    assert "build/statement.html" in lines[-1]
    assert not (problem.folder / "generator/figures/old.svg").exists()
    assert run("--check") == (0, ["the texts are up to date"])

    (problem.folder / "statement.md").write_text(GOOD)
    assert run("--check")[0] == 1


def test_the_page_goes_where_told(
    tiny: Setter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = tiny()
    monkeypatch.chdir(problem.folder)
    with pytest.raises(SystemExit) as stopped:
        main(["statement", "--no-open", "--output", str(tmp_path / "page.html")])
    assert stopped.value.code == 0
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "tiny"]


def test_links_between_texts_stay_on_the_page(tiny: Setter) -> None:
    problem = tiny(
        "# A\n\n[to b](more.md#here-it-is) and [whole](more.md) and [file](problem.yaml)\n",
        **{
            "generator/more.md.j2": "# B\n\n## Here it is!\n\n## Here it is!\n\n"
            "[back](statement.md#a)\n"
        },
    )
    html = page(problem, render(problem))
    for target in ('href="#more-here-it-is"', 'href="#more"', 'href="#statement-a"'):
        assert target in html
    assert 'id="more-here-it-is-1"' in html
    assert "problem.yaml" not in html


def test_slugs_are_those_of_code_hosts() -> None:
    assert slug("The gradient of x + f(x)") == "the-gradient-of-x--fx"
    assert slug("Example 1: a single token") == "example-1-a-single-token"


def test_quotes_stay_straight_in_code(tiny: Setter) -> None:
    problem = tiny('# A\n\nSay "hello" to `x = "y"`.\n')
    (document,) = (Library(problem.folder, render(problem).files).document("statement.md"),)
    assert "“hello”" in document.html
    assert "x = &quot;y&quot;" in document.html


def test_the_document_for_setters_names_every_filter_and_its_code_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[2]
    document = (root / "docs" / "texts.md").read_text()
    assert [name for name in FILTERS if not re.search(rf"`{name}[`(]", document)] == []
    (code,) = code_blocks(document, "python")
    monkeypatch.chdir(root)
    exec(code, {})
    assert capsys.readouterr().out == code.splitlines()[-1].removeprefix("# ") + "\n"


# --- the texts of this repository -----------------------------------------------------------------


def test_the_texts_of_the_repository_are_up_to_date(problem: Problem) -> None:
    assert stale(problem, render(problem)) == []


def test_rendering_again_changes_nothing(bundle: Path) -> None:
    problem = Problem.load(bundle)
    first, second = render(problem), render(problem)
    assert first.files == second.files
    assert write(problem, first) != []
    assert write(problem, second) == []


def test_an_edited_example_makes_the_statement_stale(bundle: Path) -> None:
    path = bundle / "problem.yaml"
    path.write_text(path.read_text().replace("time_limit: 2.0", "time_limit: 3.0"))
    for name in ("statement.md", "theory.md"):
        shutil.copy(Path(__file__).parents[2] / name, bundle)
    problem = Problem.load(bundle)
    assert stale(problem, render(problem)) == ["statement.md"]


def test_another_blas_kernel_changes_no_text() -> None:
    check = "from judge.cli import main; main(['statement', '--check'])"
    done = subprocess.run(
        [sys.executable, "-c", check],
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OPENBLAS_CORETYPE": "Prescott"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "the texts are up to date\n")
