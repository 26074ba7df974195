"""The explorer's forward pass, run by node, against the reference and the published answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from explorer_page import all_cases, arguments, plain, reference, run_node
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.web

PLAIN = {"norm": "post", "mask": "none", "padding": []}
FORWARD = """
return payload.map(({ input, options }) => input.x.map((x) => forward.forward(input, x, options)));
"""


def forward(jobs: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Run the forward pass: per job and sequence, rows by step."""
    return run_node(FORWARD, jobs)  # type: ignore[no-any-return]


def array(rows: Any) -> np.ndarray:
    """Return rows as an array, the spelled-out NaN and infinities as floats."""
    return np.array(rows, dtype=object).astype(float)


def distance(actual: Any, expected: Any) -> float:
    """Return the error in the metric that the tolerance is stated in."""
    expected = np.asarray(expected)
    return float(np.max(np.abs(array(actual) - expected) / (1 + np.abs(expected))))


def blocked(mask: str, padding: list[int], sequence: int) -> np.ndarray:
    """Return where a query may not see a key: (sequence, sequence)."""
    if mask == "causal":
        return np.triu(np.ones((sequence, sequence), dtype=bool), k=1)
    keys = np.isin(np.arange(sequence), padding) if mask == "padding" else np.zeros(sequence, bool)
    return np.broadcast_to(keys, (sequence, sequence))


def steps_in_numpy(values: dict[str, Any], options: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return every step by name, put together from the reference's parts."""
    block = reference()
    v = arguments(values)
    x, heads, pre = v["x"], v["num_heads"], options["norm"] == "pre"
    steps: dict[str, np.ndarray] = {"x": x}
    if pre:
        steps["norm1"] = block.layer_norm(x, v["gamma1"], v["beta1"])
    source = steps.get("norm1", x)
    for name in "QKV":
        steps[name] = source @ v[f"W_{name.lower()}"]
    Q, K, V = (block.split_heads(steps[name], heads) for name in "QKV")
    scaled = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(Q.shape[-1])
    mask = blocked(options["mask"], options["padding"], x.shape[1])
    steps["logits"] = np.where(mask, -np.inf, scaled)
    steps["weights"] = block.softmax(steps["logits"])
    steps["context"] = steps["weights"] @ V
    steps["merged"] = block.merge_heads(steps["context"])
    steps["attended"] = steps["merged"] @ v["W_o"]
    steps["residual1"] = x + steps["attended"]
    if pre:
        steps["norm2"] = block.layer_norm(steps["residual1"], v["gamma2"], v["beta2"])
    else:
        steps["norm1"] = block.layer_norm(steps["residual1"], v["gamma1"], v["beta1"])
    steps["hidden"] = steps["norm2" if pre else "norm1"] @ v["W1"] + v["b1"]
    steps["relu"] = np.maximum(steps["hidden"], 0)
    steps["narrowed"] = steps["relu"] @ v["W2"] + v["b2"]
    steps["residual2"] = steps["residual1" if pre else "norm1"] + steps["narrowed"]
    if not pre:
        steps["norm2"] = block.layer_norm(steps["residual2"], v["gamma2"], v["beta2"])
    steps["output"] = steps["residual2" if pre else "norm2"]
    return steps


def inputs(sizes: tuple[int, int, int, int, int], seed: int) -> dict[str, Any]:
    """Return an input with one decimal: sizes are (batch, sequence, d_model, num_heads, d_ff)."""
    batch, sequence, d_model, heads, d_ff = sizes
    generator = np.random.default_rng(seed)
    square = (d_model, d_model)
    shapes: dict[str, tuple[int, ...]] = {
        "x": (batch, sequence, d_model), "W_q": square, "W_k": square, "W_v": square, "W_o": square,
        "W1": (d_model, d_ff), "b1": (d_ff,), "W2": (d_ff, d_model), "b2": (d_model,),
        "gamma1": (d_model,), "beta1": (d_model,), "gamma2": (d_model,), "beta2": (d_model,),
    }  # fmt: skip
    drawn = {name: generator.integers(-9, 10, shape) / 10 for name, shape in shapes.items()}
    return plain({**drawn, "num_heads": heads})


def test_every_case_of_the_bundle_is_within_1e_12_of_its_answer() -> None:
    cases = all_cases()
    results = forward([{"input": case["input"], "options": PLAIN} for case in cases])
    errors = {
        case["name"]: distance([item["output"] for item in result], case["expected"])
        for case, result in zip(cases, results, strict=True)
    }
    assert len(errors) >= 40
    assert not {name: error for name, error in errors.items() if not error <= 1e-12}


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(
    ("mask", "padding"), [("none", []), ("causal", []), ("padding", [0, 3]), ("padding", [1])]
)
def test_every_step_agrees_with_the_reference(norm: str, mask: str, padding: list[int]) -> None:
    options = {"norm": norm, "mask": mask, "padding": padding}
    values = inputs((2, 4, 6, 3, 5), seed=7)
    [result] = forward([{"input": values, "options": options}])
    expected = steps_in_numpy(values, options)
    assert set(result[0]) == set(expected)
    for name, rows in expected.items():
        actual = array([item[name] for item in result])
        finite = np.isfinite(rows)
        assert np.array_equal(actual[~finite], rows[~finite]), name
        assert distance(actual[finite], rows[finite]) <= 1e-13, name


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.tuples(*(st.integers(1, 4) for _ in range(5))),
            st.integers(0, 10**6),
            st.sampled_from(["post", "pre"]),
            st.sampled_from(["none", "causal"]),
        ),
        min_size=10,
        max_size=10,
    )
)
def test_any_shape_agrees_with_the_reference(drawn: list[Any]) -> None:
    jobs = []
    for (batch, sequence, width, heads, d_ff), seed, norm, mask in drawn:
        values = inputs((batch, sequence, width * heads, heads, d_ff), seed)
        jobs.append({"input": values, "options": {"norm": norm, "mask": mask, "padding": []}})
    for job, result in zip(jobs, forward(jobs), strict=True):
        # A norm magnifies rounding up to 1/sqrt(eps) = 1000 times, and there are two.
        for name, rows in steps_in_numpy(job["input"], job["options"]).items():
            actual = array([item[name] for item in result])
            finite = np.isfinite(rows)
            assert actual.shape == rows.shape
            assert distance(actual[finite], rows[finite]) <= 1e-9, name


def test_a_masked_weight_is_exactly_zero_and_its_row_still_sums_to_one() -> None:
    values = inputs((1, 5, 6, 2, 4), seed=3)
    jobs = [
        {"input": values, "options": {"norm": "post", "mask": "causal", "padding": []}},
        {"input": values, "options": {"norm": "post", "mask": "padding", "padding": [1, 4]}},
    ]
    for [item], hidden in zip(
        forward(jobs), [blocked("causal", [], 5), blocked("padding", [1, 4], 5)], strict=True
    ):
        weights = array(item["weights"])
        assert np.all(weights[:, hidden] == 0)
        assert np.all(weights[:, ~hidden] > 0)
        assert np.allclose(weights.sum(axis=-1), 1, rtol=0, atol=1e-15)


def test_a_sequence_of_padding_alone_is_nan_from_the_weights_on() -> None:
    values = inputs((1, 3, 4, 2, 3), seed=5)
    options = {"norm": "post", "mask": "padding", "padding": [0, 1, 2]}
    [[item]] = forward([{"input": values, "options": options}])
    assert np.all(array(item["logits"]) == -np.inf)
    for name in ("weights", "context", "merged", "attended", "residual1", "hidden", "output"):
        assert np.all(np.isnan(array(item[name]))), name
    assert np.all(np.isfinite(array(item["V"])))


def test_what_a_masked_position_holds_changes_no_other_position() -> None:
    values = inputs((1, 4, 6, 2, 4), seed=11)
    other = {**values, "x": [[*values["x"][0][:3], [9.0] * 6]]}
    for mask, padding in (("padding", [3]), ("causal", [])):
        options = {"norm": "pre", "mask": mask, "padding": padding}
        [[one], [two]] = forward([{"input": v, "options": options} for v in (values, other)])
        assert one["output"][:3] == two["output"][:3]
        assert one["output"][3] != two["output"][3]
