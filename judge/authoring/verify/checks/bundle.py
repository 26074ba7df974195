"""Checks of `problem.yaml` and of the files that must agree with it."""

from __future__ import annotations

import ast
import re
import uuid
from pathlib import Path

from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.registry import check
from judge.faults import did_you_mean
from judge.problem import PROBLEM_FILE, Problem
from judge.signature import ARRAY_TYPES

LICENSES = {
    "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission", "unknown",
}  # fmt: skip
"""What the Kattis problem package format 2025-09 allows under `license`."""

LONGEST_TIME_LIMIT = 10.0


@check("licence")
def licence(evidence: Evidence, findings: Findings) -> None:
    """The problem says who may use it, and who owns it."""
    problem = evidence.problem
    if problem.license not in LICENSES or problem.license == "unknown":
        findings.error(
            f"{PROBLEM_FILE}: license",
            f"{problem.license!r} tells nobody what they may do; write one of "
            f"{', '.join(sorted(LICENSES - {'unknown'}))}",
        )
    if problem.license not in ("public domain", "cc0") and not problem.rights_owner:
        findings.error(f"{PROBLEM_FILE}: rights_owner", "missing: a licence has an owner")


@check("uuid")
def identity(evidence: Evidence, findings: Findings) -> None:
    """The problem has a UUID of its own."""
    try:
        number = uuid.UUID(evidence.problem.uuid)
    except ValueError:
        findings.error(
            f"{PROBLEM_FILE}: uuid",
            f"{evidence.problem.uuid!r} is no UUID; make one with: python -m uuid -u uuid4",
        )
        return
    if number.int == 0:
        findings.error(f"{PROBLEM_FILE}: uuid", "all zeros: make one with python -m uuid -u uuid4")


@check("credits")
def credit(evidence: Evidence, findings: Findings) -> None:
    """The problem names its authors and its source."""
    problem = evidence.problem
    authors = problem.credits.authors
    names = [authors] if isinstance(authors, str) else authors
    if not any(name.strip() for name in names):
        findings.error(f"{PROBLEM_FILE}: credits.authors", "names nobody")
    if not problem.source:
        findings.error(f"{PROBLEM_FILE}: source", "names no source; cite the paper or book")


@check("starter")
def starter(evidence: Evidence, findings: Findings) -> None:
    """The starter and the reference have the signature that problem.yaml gives."""
    for folder in ("starter", "reference"):
        path = f"{folder}/{evidence.problem.function_file}"
        _check_signature(evidence.problem, path, findings)


def _check_signature(problem: Problem, file: str, findings: Findings) -> None:
    path = problem.folder / file
    found = _parameters(path, problem.function.name)
    wanted = [parameter.name for parameter in problem.function.parameters]
    if isinstance(found, str):
        findings.error(file, found)
    elif found != wanted:
        findings.error(
            file,
            f"{problem.function.name}({', '.join(found)}) differs from problem.yaml's "
            f"({', '.join(wanted)})",
        )


def _parameters(path: Path, function: str) -> list[str] | str:
    """Return a function's parameters, or why they can't be told."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        return f"can't be read: {error.strerror}"
    except SyntaxError as error:
        return f"no Python source: {error.msg} (line {error.lineno})"
    except ValueError as error:
        return f"no Python source: {error}"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return f"defines no function {function}"


@check("constraints")
def constraint_words(evidence: Evidence, findings: Findings) -> None:
    """The words of a constraint give the numbers that its expression has."""
    for index, constraint in enumerate(evidence.problem.constraints):
        if not constraint.holds:
            continue
        said = set(re.findall(r"\d+", constraint.text))
        meant = set(re.findall(r"\d+", constraint.holds)) - {"0", "1"}
        for number in sorted(meant - said, key=int):
            findings.error(
                f"{PROBLEM_FILE}: constraints[{index}]",
                f"the expression has {number}, the words don't: {constraint.text!r}",
            )


@check("names-in-texts")
def names_in_texts(evidence: Evidence, findings: Findings) -> None:
    """Hints, requirements and constraints name nothing that the problem does not have."""
    problem = evidence.problem
    known = {problem.function.name, *ARRAY_TYPES, *_identifiers(problem)}
    for parameter in problem.function.parameters:
        known |= {parameter.name, *(parameter.kind.dims or ())}
    texts = {
        "hints": problem.hints,
        "requirements": problem.requirements,
        "constraints": [constraint.text for constraint in problem.constraints],
    }
    for key, lines in texts.items():
        for index, line in enumerate(lines):
            # Words with a digit or an underscore in them are names; plain words are prose.
            for name in re.findall(r"\b[A-Za-z]+(?:_\w+|\d\w*)\b", line):
                if name not in known:
                    findings.error(
                        f"{PROBLEM_FILE}: {key}[{index}]",
                        f'"{name}" is neither in the signature nor in the reference'
                        f"{did_you_mean(name, known)}",
                    )


def _identifiers(problem: Problem) -> set[str]:
    """Return every name that the reference uses."""
    path = problem.folder / "reference" / problem.function_file
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return set()
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return names | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
