"""The PyTorch module of the theory page, against the samples and against PyTorch's own layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from code_blocks import code_blocks

from judge.problem import Problem
from judge.testcases import TestCase, load_cases

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[2]
NAMES = [parameter.name for parameter in Problem.load(ROOT).function.parameters]
SMALL = [case for case in load_cases(Problem.load(ROOT)) if "large-logits" not in case.tags]
NEARLY = {"rtol": 1e-12, "atol": 1e-12}


@pytest.fixture(scope="module")
def page() -> tuple[dict[str, Any], str]:
    """The module's code, run; and what it printed."""
    import contextlib
    import io

    (code,) = [
        block
        for block in code_blocks((ROOT / "theory.md").read_text(), "python")
        if "nn.Module" in block
    ]
    namespace: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return namespace, printed.getvalue()


def arguments(case: TestCase) -> dict[str, Any]:
    return dict(zip(NAMES, case.inputs, strict=True))


def module(page: tuple[dict[str, Any], str], inputs: dict[str, Any]) -> Any:
    """The page's block with a case's weights, in double precision."""
    import torch

    d_model, d_ff = inputs["W1"].shape
    block = page[0]["EncoderBlock"](d_model, inputs["num_heads"], d_ff).double().eval()
    copies = {
        block.q.weight: inputs["W_q"].T,
        block.k.weight: inputs["W_k"].T,
        block.v.weight: inputs["W_v"].T,
        block.o.weight: inputs["W_o"].T,
        block.feed_forward[0].weight: inputs["W1"].T,
        block.feed_forward[0].bias: inputs["b1"],
        block.feed_forward[2].weight: inputs["W2"].T,
        block.feed_forward[2].bias: inputs["b2"],
        block.norm1.weight: inputs["gamma1"],
        block.norm1.bias: inputs["beta1"],
        block.norm2.weight: inputs["gamma2"],
        block.norm2.bias: inputs["beta2"],
    }
    with torch.no_grad():
        for parameter, value in copies.items():
            parameter.copy_(torch.tensor(value))
    return block


def pytorch_layer(inputs: dict[str, Any], *, norm_first: bool = False) -> Any:
    """`torch.nn.TransformerEncoderLayer` with a case's weights."""
    import torch
    from torch import nn

    d_model, d_ff = inputs["W1"].shape
    layer = nn.TransformerEncoderLayer(
        d_model, inputs["num_heads"], d_ff, dropout=0.0, layer_norm_eps=1e-6, batch_first=True,
        norm_first=norm_first, dtype=torch.float64,
    ).eval()  # fmt: skip
    stacked = np.concatenate([inputs[name].T for name in ("W_q", "W_k", "W_v")])
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(torch.tensor(stacked))
        layer.self_attn.in_proj_bias.zero_()
        layer.self_attn.out_proj.weight.copy_(torch.tensor(inputs["W_o"].T))
        layer.self_attn.out_proj.bias.zero_()
        for name, parameter in (("W1", layer.linear1), ("W2", layer.linear2)):
            parameter.weight.copy_(torch.tensor(inputs[name].T))
            parameter.bias.copy_(torch.tensor(inputs[name.replace("W", "b")]))
        for number, norm in ((1, layer.norm1), (2, layer.norm2)):
            norm.weight.copy_(torch.tensor(inputs[f"gamma{number}"]))
            norm.bias.copy_(torch.tensor(inputs[f"beta{number}"]))
    return layer


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_the_pages_module_gives_the_proved_answers(
    page: tuple[dict[str, Any], str], case: TestCase
) -> None:
    import torch

    inputs = arguments(case)
    with torch.no_grad():
        output = module(page, inputs)(torch.tensor(inputs["x"])).numpy()
    np.testing.assert_allclose(output, case.expected, **NEARLY)


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_pytorchs_own_layer_gives_the_proved_answers(case: TestCase) -> None:
    import torch

    inputs = arguments(case)
    with torch.no_grad():
        output = pytorch_layer(inputs)(torch.tensor(inputs["x"])).numpy()
    np.testing.assert_allclose(output, case.expected, **NEARLY)


def test_padding_is_ignored_as_in_pytorchs_layer(page: tuple[dict[str, Any], str]) -> None:
    import torch

    inputs = arguments(next(case for case in SMALL if case.name == "secret/three-heads"))
    x = torch.tensor(inputs["x"])
    padding = torch.zeros(x.shape[:2], dtype=torch.bool)
    padding[1, -1:] = True
    block = module(page, inputs)
    with torch.no_grad():
        output = block(x, padding).numpy()
        theirs = pytorch_layer(inputs)(x, src_key_padding_mask=padding).numpy()
        alone = block(x[1:, :-1]).numpy()
        unmasked = block(x).numpy()
    np.testing.assert_allclose(output[:, :-1], theirs[:, :-1], **NEARLY)
    np.testing.assert_allclose(output[1:, :-1], alone, **NEARLY)
    assert np.abs(output[1, :-1] - unmasked[1, :-1]).max() > 0.01


def test_the_pages_pre_norm_numbers_are_pytorchs(page: tuple[dict[str, Any], str]) -> None:
    import torch
    from explorer_page import reference

    from judge.authoring.modules import load_module

    texts = load_module(ROOT / "generator" / "texts" / "__init__.py", "generator/texts")
    inputs = arguments(next(case for case in SMALL if case.name == "sample/two-heads"))
    ours = texts.trace(reference(), inputs, pre_norm=True).y
    with torch.no_grad():
        theirs = pytorch_layer(inputs, norm_first=True)(torch.tensor(inputs["x"])).numpy()[0]
    np.testing.assert_allclose(ours, theirs, **NEARLY)


def test_the_pages_code_prints_what_its_comment_says(page: tuple[dict[str, Any], str]) -> None:
    namespace, printed = page
    assert printed == "torch.Size([2, 12, 64])\n"
    assert f"# {printed.strip()}" in (ROOT / "theory.md").read_text()
    assert namespace["block"].training


def test_the_default_epsilon_of_pytorch_is_as_told() -> None:
    from torch import nn

    from judge.authoring.modules import load_module

    texts = load_module(ROOT / "generator" / "texts" / "__init__.py", "generator/texts")
    assert nn.LayerNorm(3).eps == texts.facts.TORCH_EPSILON
