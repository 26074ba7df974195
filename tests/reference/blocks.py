"""The reference's modules, and drawn inputs of every kind that the generator knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from judge.authoring.generate.draw import Draw
from judge.authoring.modules import load_module
from judge.problem import Problem

BUNDLE = Path(__file__).parent.parent.parent


def bundle_module(file: str) -> Any:
    """A file of this repository's bundle, loaded by path."""
    return load_module(BUNDLE / file, file)


PROBLEM = Problem.load(BUNDLE)
PARAMETERS = [parameter.name for parameter in PROBLEM.function.parameters]

exact = bundle_module("reference/exact.py")
families = bundle_module("generator/families.py")
numpy_reference = bundle_module("reference/encoder_block.py")
second_opinion = bundle_module("reference/second_opinion.py")

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "generic": ("generic", {}),
    "light": ("generic", {"spread": 0.25}),
    "tiny": ("generic", {"x": "0.002", "places": 5}),
    "large": ("generic", {"x": 100, "spread": 0.3}),
    "large hidden": ("generic", {"feed_forward": ["-3", "3"]}),
    "overflowing logits": (
        "large_logits",
        {"query_key": ["-40", "40"], "least": 711, "most": 9999},
    ),
    "near epsilon": ("near_epsilon", {}),
    "constant rows": ("constant_rows", {}),
    "zero input": ("zeroed", {"zero": ["x"]}),
    "uniform attention": ("zeroed", {"zero": ["W_q"]}),
    "attention off": ("zeroed", {"zero": ["W_o"]}),
    "feed-forward off": ("zeroed", {"zero": ["W2", "b2"]}),
    "signed gamma": ("signed_gamma", {}),
    "repeated tokens": ("repeated_tokens", {}),
    "clipped hidden": ("clipped_hidden", {}),
}


def block_inputs(kind: str, sizes: dict[str, int], seed: int) -> list[Any]:
    """Inputs of one kind in the function's order; ValueError when the family refuses the draw."""
    family, options = KINDS[kind]
    inputs = getattr(families, family)(Draw(seed, "test/inputs", 0), sizes, **options)
    return [inputs[name] for name in PARAMETERS]


@st.composite
def blocks(draw: Any, kinds: Any = None, num_heads: int | None = None) -> list[Any]:
    """Inputs of any kind and small sizes of every shape: one head or more, one feature or more."""
    heads = num_heads or draw(st.integers(1, 3))
    sizes = {
        "batch": draw(st.integers(1, 2)),
        "sequence": draw(st.integers(1, 4)),
        "d_model": heads * draw(st.integers(1, 3)),
        "d_ff": draw(st.integers(1, 6)),
        "num_heads": heads,
    }
    kind, seed = draw(st.sampled_from(kinds or sorted(KINDS))), draw(st.integers(0, 2**64))
    try:
        return block_inputs(kind, sizes, seed)
    except ValueError:  # the family refuses this draw
        reject()


def replaced(inputs: list[Any], **changes: Any) -> list[Any]:
    """The inputs with some parameters replaced by name."""
    values = dict(zip(PARAMETERS, inputs, strict=True)) | changes
    return [values[name] for name in PARAMETERS]


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """The judge's metric, |actual - expected| / (1 + |expected|), at the worst element."""
    return float((abs(actual - expected) / (1 + abs(expected))).max())
