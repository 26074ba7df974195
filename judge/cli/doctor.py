"""`judge doctor`: which layers isolate submissions here, and what that was proved to hold."""

from __future__ import annotations

import contextlib
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.cli import options

if TYPE_CHECKING:
    from judge.sandbox.selftest import Proof

_WIDTH = 96
_COLUMN = 21


@click.command("doctor")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json is one document, for programs.",
)
@options.problem_option
def command(output_format: str, problem_folder: Path | None) -> int:
    """Show what isolates submissions on this machine, and prove what that holds.

    The self-test runs in a worker just like a submission, and tries: to read the answers of the
    problem (where there is one here) and a canary file, to reach a socket, to leave a process
    behind, and to signal, trace or read the judge.

    The exit code is 0 when all four properties are proved, 3 otherwise.

    \b
    Examples:
      judge doctor
      judge doctor --format json | jq .proved
    """
    from judge.sandbox.process import Sandbox, SandboxError
    from judge.sandbox.selftest import prove

    try:
        with Sandbox() as sandbox:
            proof = prove(sandbox, _answers(problem_folder))
            document = _document(proof, sandbox.boot.machine)
    except SandboxError as error:
        document = {"format": 1, "proved": [], "error": str(error)}
    click.echo(json.dumps(document, indent=2) if output_format == "json" else _text(document))
    return 0 if document.get("complete") else options.EXIT_JUDGE_ERROR


def _answers(folder: Path | None) -> list[Path]:
    """Return the files that hold answers; no problem here is no fault, the canary remains."""
    from judge.bundle import answer_files
    from judge.faults import BundleError

    if folder is not None:
        return answer_files(options.load_problem(folder).folder)
    with contextlib.suppress(BundleError):
        return answer_files(options.load_problem(None).folder)
    return []


def _document(proof: Proof, machine: str) -> dict[str, Any]:
    from judge.sandbox.advice import ADVICE
    from judge.sandbox.selftest import PROPERTIES, meaning

    layers: list[dict[str, str]] = []
    for name, advice in ADVICE.items():
        state, _, reason = proof.isolation.layers.get(name, "missing: unknown").partition(": ")
        layer = {"name": name, "state": state, "purpose": advice.purpose}
        if state == "missing":
            layer |= {"reason": reason, "remedy": advice.remedy}
        layers.append(layer)
    properties = [
        {
            "name": name,
            "proved": name in proof.isolation.proved,
            "meaning": meaning(name),
            "breaches": proof.breaches.get(name, []),
        }
        for name in PROPERTIES
    ]
    return {
        "format": 1,
        "machine": machine,
        "complete": proof.complete,
        "proved": proof.isolation.proved,
        "properties": properties,
        "layers": layers,
    }


def _text(document: dict[str, Any]) -> str:
    if "error" in document:
        return f"No process for submissions can be started here:\n  {document['error']}"
    lines = ["Layers, as the system calls reported them:"]
    width = 2 + max(len(layer["state"]) for layer in document["layers"])
    for layer in document["layers"]:
        lines.append(f"  {layer['name']:<{_COLUMN}}{layer['state']:<{width}}{layer['purpose']}")
        if "reason" in layer:
            lines += _indented(f"why: {layer['reason']}")
            lines += _indented(f"what to do: {layer['remedy']}")
    lines += ["", "Proved by trying it from inside a worker:"]
    for item in document["properties"]:
        state = "proved" if item["proved"] else "NOT proved"
        lines.append(f"  {item['name']:<{_COLUMN}}{state:<12}{item['meaning']}")
        for breach in item["breaches"]:
            lines += _indented(breach)
    lines += ["", *textwrap.wrap(_conclusion(document), _WIDTH)]
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    margin = " " * (_COLUMN + 2)
    return textwrap.wrap(text, _WIDTH, initial_indent=margin, subsequent_indent=margin)


def _conclusion(document: dict[str, Any]) -> str:
    if document["complete"]:
        return "All four properties hold: files of people you don't know may be judged here."
    return (
        "Judge only files that you trust here. `judge run` and `judge watch` warn; commands for "
        "other people's files refuse unless told --allow-weak-isolation."
    )
