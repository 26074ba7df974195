"""Inputs and outputs at the edges, which a package's own validators must accept or reject."""

from __future__ import annotations

import json
from typing import Any

from judge.authoring.export.bundle import Bundle
from judge.authoring.export.kattis import answer, output_text, to_yaml
from judge.authoring.export.tree import Tree


def add_edges(tree: Tree, bundle: Bundle) -> None:
    """Add `data/invalid_input`, `data/invalid_output` and `data/valid_output`."""
    for name, (text, description) in invalid_inputs(bundle).items():
        tree.add(f"data/invalid_input/{name}.in", text)
        tree.add(f"data/invalid_input/{name}.yaml", to_yaml({"description": description}))
    _add_outputs(tree, bundle, "invalid_output", invalid_outputs(bundle))
    _add_outputs(tree, bundle, "valid_output", valid_outputs(bundle))


def _add_outputs(
    tree: Tree, bundle: Bundle, folder: str, outputs: dict[str, tuple[str, str]]
) -> None:
    case = bundle.public[0]
    for name, (text, description) in outputs.items():
        tree.add(f"data/{folder}/{name}.in", case.input)
        tree.add(f"data/{folder}/{name}.ans", answer(case))
        tree.add(f"data/{folder}/{name}.out", text)
        tree.add(f"data/{folder}/{name}.yaml", to_yaml({"description": description}))


def invalid_inputs(bundle: Bundle) -> dict[str, tuple[str, str]]:
    """Return inputs that are wrong in one way each, by name, with what is wrong."""
    text = bundle.public[0].input.decode("ascii")

    def changed(change: Any) -> str:
        document = json.loads(text)
        change(document)
        return json.dumps(document) + "\n"

    parameters = bundle.problem.function.parameters
    first = parameters[0].name
    array = next((p.name for p in parameters if p.kind.is_array), None)
    inputs = {
        "not_json": ("1 2 3\n", "no JSON document"),
        "two_spaces": (text.replace(": ", ":  ", 1), "a space too many"),
        "no_line_end": (text.rstrip("\n"), "the line is not ended"),
        "missing_parameter": (changed(lambda d: d["input"].pop(first)), f"{first} is missing"),
        "unknown_parameter": (
            changed(lambda d: d["input"].update(unknown=1)),
            "a parameter that the function has not",
        ),
        "other_format": (changed(lambda d: d.update(format=2)), "another version of the format"),
    }
    if array is not None:
        inputs["extra_axis"] = (
            changed(lambda d: d["input"].update({array: [d["input"][array]]})),
            f"{array} has an axis too many",
        )
        inputs["empty_axis"] = (
            changed(lambda d: d["input"].update({array: []})),
            f"{array} has no elements",
        )
    if array is not None and bundle.problem.function.parameters[0].kind.dtype == "float64":
        inputs["not_a_number"] = (
            changed(lambda d: d["input"].update({array: float("nan")})),
            "NaN, which JSON has not",
        )
    return inputs


def invalid_outputs(bundle: Bundle) -> dict[str, tuple[str, str]]:
    """Return outputs for the first public case that are wrong in one way each."""
    expected = bundle.public[0].expected
    dtype, shape, elements = expected.dtype.name, expected.shape, expected.ravel().tolist()
    other = "float32" if dtype == "float64" else "float64"
    outputs = {
        "no_array": ("type list\n", "what was returned is no array"),
        "other_dtype": (output_text(other, shape, []), "another dtype"),
        "other_shape": (output_text(dtype, (*shape, 1), elements), "an axis too many"),
        "element_missing": (output_text(dtype, shape, elements[:-1]), "an element is missing"),
        "element_extra": (output_text(dtype, shape, [*elements, 0]), "an element too many"),
        "no_header": ("\n".join(map(repr, elements)) + "\n", "written by no driver"),
        "no_number": (output_text(dtype, shape, elements[:-1]) + "one\n", "a word for a number"),
    }
    if dtype == "float64":
        header = output_text(dtype, shape, elements[1:])
        for name in ("nan", "inf"):
            outputs[f"element_{name}"] = (f"{header}{name}\n", f"an element is {name}")
        outputs["beyond_tolerance"] = (
            output_text(dtype, shape, [_moved(bundle, elements[0], 1.01), *elements[1:]]),
            "an element just outside the tolerance",
        )
    else:
        moved = [not elements[0] if dtype == "bool" else elements[0] + 1, *elements[1:]]
        outputs["other_value"] = (output_text(dtype, shape, moved), "an element is another")
    return outputs


def valid_outputs(bundle: Bundle) -> dict[str, tuple[str, str]]:
    """Return outputs for the first public case that are right, each in its own way."""
    case = bundle.public[0]
    dtype, shape, elements = case.expected.dtype.name, case.expected.shape, case.expected.ravel()
    outputs = {"exact": (answer(case), "the answer itself")}
    if dtype == "float64":
        moved = [_moved(bundle, float(value), 0.99) for value in elements]
        outputs["within_tolerance"] = (
            output_text(dtype, shape, moved),
            "every element just inside the tolerance",
        )
        header = output_text(dtype, shape, [])
        lines = "".join(f"{float(value):+.17E}\n" for value in elements)
        outputs["other_spelling"] = (header + lines, "the same numbers, spelled with an exponent")
    return outputs


def _moved(bundle: Bundle, value: float, factor: float) -> float:
    tolerance = bundle.problem.tolerance
    return value + factor * (tolerance.absolute + tolerance.relative * abs(value))
