"""The README's commands exist, its links lead somewhere, its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from judge.cli import _run
from judge.cli.group import COMMANDS
from tests.conftest import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = re.findall(r"```\n(.*?)```", TEXT, re.DOTALL)


def test_every_make_target_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"make ([a-z-]+)", "\n".join(BLOCKS)))
    assert {"judge", "test"} <= named <= targets


def commands() -> list[tuple[str, tuple[str, ...]]]:
    """Return every `judge COMMAND` of the documents with the options that it is given."""
    found = set()
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for block in re.findall(r"```(?:sh|bash|console)?\n(.*?)```", text, re.DOTALL):
            for command, rest in re.findall(r"\bjudge ([a-z]+)\b([^\n|#]*)", block):
                if command in COMMANDS:
                    mine = rest.split(" -- ")[0]
                    options = tuple(sorted(set(re.findall(r"(?<=\s)--[a-z-]+", mine))))
                    found.add((command, options))
    return sorted(found)


@pytest.mark.parametrize(("command", "options"), commands())
def test_every_command_and_option_in_the_documents_exists(command, options, capsys):
    assert _run([command, "--help"]) == 0
    printed = capsys.readouterr().out
    for option in options:
        assert option in printed, f"judge {command} has no {option}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document):
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = document.parent / file if file else document
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, target


def slug(heading: str) -> str:
    """Return the anchor that code hosts give a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", ""))
    return kept.strip().replace(" ", "-")


def test_the_python_of_the_readme_runs():
    [code] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True
    )
    assert re.fullmatch(r"AC (\d+) of \1\n", done.stdout)


def test_help_lists_every_command_and_teaches_with_examples(capsys):
    assert _run(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  {command} " in printed for command in COMMANDS)
    for command in COMMANDS:
        assert _run([command, "--help"]) == 0
        assert "Examples:" in capsys.readouterr().out, command


WITHOUT_EXTRAS = """
import sys
from judge.cli.group import _EXTRAS, COMMANDS, run
for package in _EXTRAS:
    sys.modules[package] = None  # importing it fails as if it were not installed
failed = [command for command in COMMANDS if run([command, "--help"]) != 0]
sys.exit(f"no help for {failed}" if failed else 0)
"""


def test_help_answers_where_only_judging_is_installed():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_is_met_with_the_nearest(capsys):
    assert _run(["generat"]) == 2
    assert 'No such command "generat" (did you mean "generate"?)' in capsys.readouterr().err
