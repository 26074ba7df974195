"""What the texts say, checked: definitions, worked examples, answers of the knowledge check."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from code_blocks import code_blocks
from explorer_page import reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from judge.authoring.formatting import magnitude_above, magnitude_below
from judge.authoring.material import gather
from judge.authoring.modules import load_module
from judge.problem import Problem
from judge.testcases import load_cases

ROOT = Path(__file__).parents[2]
THEORY = (ROOT / "theory.md").read_text()
STATEMENT = (ROOT / "statement.md").read_text()
TEXTS = load_module(ROOT / "generator" / "texts" / "__init__.py", "generator/texts")
R = reference()

ROWS = arrays(np.float64, (3, 6), elements=st.floats(-4, 4, width=32))


def sample(name: str) -> tuple[dict[str, Any], np.ndarray]:
    problem = Problem.load(ROOT)
    (case,) = load_cases(problem, [f"sample/{name}"])
    names = [parameter.name for parameter in problem.function.parameters]
    return dict(zip(names, case.inputs, strict=True)), case.expected


WORKED, EXPECTED = sample("two-heads")
STEPS = TEXTS.trace(R, WORKED)
LESSON = TEXTS.lesson.values(R)
NORMS = TEXTS.norms.values(R, WORKED)


# --- the statement --------------------------------------------------------------------------------


def test_the_pasted_examples_are_the_samples_and_their_proved_answers() -> None:
    problem = Problem.load(ROOT)
    cases = [case for case in load_cases(problem) if case.group == "sample"]
    blocks = code_blocks(STATEMENT, "python")
    assert len(blocks) == len(cases) + 1
    for block, case in zip(blocks, cases, strict=False):
        namespace: dict[str, Any] = {}
        exec(block, namespace)
        for parameter, value in zip(problem.function.parameters, case.inputs, strict=True):
            np.testing.assert_array_equal(namespace[parameter.name], value)
        np.testing.assert_array_equal(namespace["expected"], case.expected)
        assert namespace["expected"].dtype == np.float64


def test_the_starter_is_the_starter() -> None:
    assert (
        code_blocks(STATEMENT, "python")[-1] == (ROOT / "starter" / "encoder_block.py").read_text()
    )


def test_the_single_token_comes_out_almost_one() -> None:
    _, expected = sample("single-token")
    assert 0 < 1 - expected[0, 0, 0] < 1e-6
    written = repr(float(expected[0, 0, 0]))
    assert f"which leaves {written}." in STATEMENT
    assert f"Example 1 gives {written}" in THEORY


def test_two_features_keep_only_which_is_larger() -> None:
    inputs, expected = sample("two-tokens")
    assert inputs["x"].shape[-1] == 2
    np.testing.assert_array_equal(expected[0, 0], expected[0, 1])
    weights = TEXTS.trace(R, inputs).weights[0]
    assert (weights[:, 1] > weights[:, 0]).all()


def test_mirrored_tokens_stay_mirrored() -> None:
    inputs, expected = sample("mirrored-tokens")
    np.testing.assert_array_equal(inputs["x"][0, 1], inputs["x"][0, 0, ::-1])
    np.testing.assert_array_equal(expected[0, 1], expected[0, 0, ::-1])


def test_the_tolerance_stands_between_right_and_wrong() -> None:
    problem = Problem.load(ROOT)
    margins = TEXTS.pitfalls_.margins(gather(problem))
    tolerance = problem.tolerance.absolute
    assert problem.tolerance.relative == tolerance
    assert margins["right"] * problem.verify.accepted_margin < tolerance
    assert margins["wrong"] > tolerance * problem.verify.precision_margin
    assert f"off by less than ${magnitude_above(3 * margins['right'])}$" in STATEMENT
    assert f"({margins['nearest']}) by more than ${magnitude_below(margins['wrong'])}$" in STATEMENT


def test_every_limit_and_requirement_of_the_problem_stands_there() -> None:
    problem = Problem.load(ROOT)
    for text in (*problem.requirements, *problem.hints, *(c.text for c in problem.constraints)):
        assert text in STATEMENT
    assert STATEMENT.count("<summary>Hint ") == len(problem.hints)


# --- before the block -----------------------------------------------------------------------------


def test_sinusoids_are_the_formula_of_the_page() -> None:
    width = 6
    encoding = TEXTS.lesson.positional_encoding(9, width)
    for p in range(9):
        for i in range(width // 2):
            angle = p / 10000 ** (2 * i / width)
            assert encoding[p, 2 * i] == pytest.approx(math.sin(angle), abs=1e-15)
            assert encoding[p, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-15)
    assert np.abs(encoding).max() <= 1


def test_equal_words_become_different_by_their_place() -> None:
    first, second = LESSON["twins"]["places"]
    np.testing.assert_array_equal(LESSON["embedded"][first], LESSON["embedded"][second])
    for states in (LESSON["x"], LESSON["trace"].Q[0], LESSON["trace"].K[0], LESSON["trace"].V[0]):
        assert np.abs(states[first] - states[second]).max() > 0.3


@given(ROWS, st.permutations(range(3)))
def test_exchanged_positions_exchange_the_output(rows: np.ndarray, order: list[int]) -> None:
    inputs = {**TEXTS.lesson.block_inputs(rows[:, :4]), "x": rows[None, :, :4]}
    straight = TEXTS.trace(R, inputs).y
    shuffled = TEXTS.trace(R, {**inputs, "x": inputs["x"][:, order]}).y
    np.testing.assert_allclose(shuffled, straight[order], atol=1e-9)


def test_the_table_of_exchanged_words_shows_it() -> None:
    assert LESSON["permuted"]["difference"] < 1e-14


# --- attention ------------------------------------------------------------------------------------


@given(ROWS, st.floats(-200, 200))
def test_a_softmax_sums_to_one_and_ignores_a_constant(logits: np.ndarray, shift: float) -> None:
    weights = R.softmax(logits)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-15 * 8)
    np.testing.assert_allclose(R.softmax(logits + shift), weights, rtol=1e-11)


def test_columns_of_weights_need_not_sum_to_one() -> None:
    assert abs(STEPS.weights[0].sum(axis=0) - 1).max() > 0.5


def test_the_slope_of_a_softmax_is_p_times_one_minus_p() -> None:
    logits = LESSON["trace"].logits[0, 1]
    step = 1e-6
    for j in range(len(logits)):
        moved = logits.copy()
        moved[j] += step
        p = R.softmax(logits)[j]
        assert (R.softmax(moved)[j] - p) / step == pytest.approx(p * (1 - p), rel=1e-4)


def test_doubling_both_projections_makes_logits_four_times_as_large() -> None:
    doubled = TEXTS.trace(R, {**WORKED, "W_q": 2 * WORKED["W_q"], "W_k": 2 * WORKED["W_k"]})
    np.testing.assert_allclose(doubled.logits, 4 * STEPS.logits, rtol=1e-13)


def test_a_single_token_has_weight_one_whatever_its_query() -> None:
    alone = {**WORKED, "x": WORKED["x"][:, :1]}
    assert (TEXTS.trace(R, alone).weights == 1).all()


def test_the_two_heads_of_the_sentence_look_at_different_words() -> None:
    weights = LESSON["trace"].weights
    assert weights[0, 1].argmax() == 0
    assert weights[1, 1, [1, 3]].sum() > 0.8
    assert LESSON["words"][1] == "hope"
    assert LESSON["words"][3] == "pass"


def test_heads_own_the_columns_that_the_page_names() -> None:
    (head0, head1) = np.split(WORKED["x"][0] @ WORKED["W_q"], 2, axis=1)
    np.testing.assert_array_equal(STEPS.Q[0], head0)
    np.testing.assert_array_equal(STEPS.Q[1], head1)
    assert head0.shape[1] == 2


def test_heads_of_any_width_are_mapped_back_by_their_output_projection() -> None:
    width, head_width, heads = 4, 3, 2
    rng = np.random.default_rng(1)
    x = rng.normal(size=(5, width))
    contexts = []
    for _ in range(heads):
        Q, K, V = (x @ rng.normal(size=(width, head_width)) for _ in range(3))
        contexts.append(R.softmax(Q @ K.T / np.sqrt(head_width)) @ V)
    output = np.hstack(contexts) @ rng.normal(size=(heads * head_width, width))
    assert output.shape == x.shape


def test_cross_attention_has_a_row_a_query_and_a_column_a_key() -> None:
    rng = np.random.default_rng(2)
    written, source = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    weights = R.softmax(written @ source.T / 2)
    assert weights.shape == (3, 5)
    np.testing.assert_allclose(weights.sum(axis=1), 1)


# --- masks ----------------------------------------------------------------------------------------


def test_padding_gets_exactly_nothing_and_real_words_what_they_get_alone() -> None:
    masked, alone = LESSON["short_padded"], LESSON["short_alone"]
    assert (masked.weights[:, :, 2:] == 0).all()
    np.testing.assert_allclose(masked.weights[:, :2, :2], alone.weights, rtol=1e-15)
    np.testing.assert_allclose(masked.y[:2], alone.y, rtol=1e-13)
    assert LESSON["short_open"].weights[0, 0, 2:].sum() > 0.4


def test_masking_lets_every_other_weight_grow_by_the_same_factor() -> None:
    growth = LESSON["short_padded"].weights[:, :, :2] / LESSON["short_open"].weights[:, :, :2]
    np.testing.assert_allclose(growth[..., 0], growth[..., 1], rtol=1e-14)


def test_a_causal_mask_hides_the_future_and_leaves_the_last_word_alone() -> None:
    causal, free = LESSON["causal"].weights, LESSON["trace"].weights
    assert (causal[:, np.triu_indices(4, 1)[0], np.triu_indices(4, 1)[1]] == 0).all()
    np.testing.assert_array_equal(causal[:, -1], free[:, -1])


def test_zero_times_infinity_and_a_row_of_padding_are_not_numbers() -> None:
    assert math.isnan(LESSON["zero_times_infinity"])
    assert np.isnan(LESSON["all_blocked"]).all()
    assert "0 × −∞ is NaN" in THEORY


# --- feed-forward, residuals, norms ---------------------------------------------------------------


def test_a_change_of_one_row_stays_in_it_but_for_attention() -> None:
    changed = WORKED["x"].copy()
    changed[0, 1, 0] += 1
    moved = TEXTS.trace(R, {**WORKED, "x": changed})
    assert (np.abs(moved.attended - STEPS.attended).max(axis=1) > 0.01).all()
    z = STEPS.z.copy()
    z[1] += 1
    weights = [WORKED[name] for name in ("W1", "b1", "W2", "b2")]
    difference = R.feed_forward(z, *weights) - R.feed_forward(STEPS.z, *weights)
    assert (difference[0] == 0).all()
    assert (difference[1] != 0).all()


def test_the_feed_forward_network_is_a_sum_of_values_of_matching_keys() -> None:
    for row, expected in zip(STEPS.z, STEPS.transformed, strict=True):
        total = WORKED["b2"].copy()
        for key, bias, value in zip(WORKED["W1"].T, WORKED["b1"], WORKED["W2"], strict=True):
            total += max(row @ key + bias, 0.0) * value
        np.testing.assert_allclose(total, expected, atol=1e-15)


def test_relu_clips_what_the_page_says() -> None:
    clipped = int((STEPS.widened < 0).sum())
    assert f"{clipped} of {STEPS.hidden.size} values were clipped" in THEORY


def test_two_linear_layers_are_one() -> None:
    W1, W2 = WORKED["W1"], WORKED["W2"]
    np.testing.assert_allclose(STEPS.z @ W1 @ W2, STEPS.z @ (W1 @ W2), atol=1e-14)


def test_gelu_and_relu_are_what_the_table_says() -> None:
    import mpmath

    for x in TEXTS.ACTIVATION_INPUTS:
        assert TEXTS.figures_.gelu(x) == pytest.approx(float(x * mpmath.ncdf(x)), abs=1e-15)


def test_the_derivative_of_a_layer_norm_is_the_formula() -> None:
    row = STEPS.residual1[0]
    one, none = np.ones(4), np.zeros(4)
    step = 1e-6
    columns = [
        (R.layer_norm(row + step * e, one, none) - R.layer_norm(row - step * e, one, none))
        / (2 * step)
        for e in np.eye(4)
    ]
    np.testing.assert_allclose(NORMS_JACOBIAN, np.array(columns).T, atol=1e-8)


NORMS_JACOBIAN = TEXTS.norms.jacobian(STEPS.residual1[0], R.EPSILON)


def test_a_layer_norm_takes_out_the_mean_and_nearly_the_row_itself() -> None:
    normalized = NORMS["normalized"]
    s = NORMS["deviation"]
    np.testing.assert_allclose(NORMS_JACOBIAN @ np.ones(4), 0, atol=1e-15)
    along = NORMS_JACOBIAN @ normalized
    assert np.abs(along).max() < 1e-5
    np.testing.assert_allclose(NORMS["singular_values"][:2], 1 / s, rtol=1e-12)
    assert NORMS["singular_values"][3] < 1e-15


def test_the_identity_path_of_post_norm_shrinks_by_the_root_of_two_a_sub_layer() -> None:
    rng = np.random.default_rng(3)
    row, added = rng.normal(size=(2, 4000))
    ratio = np.sqrt((row + added).var() / row.var())
    assert ratio == pytest.approx(math.sqrt(2), rel=0.05)
    for entry, model in zip(NORMS["identity_path"], TEXTS.facts.MODELS, strict=True):
        assert entry["divisor"] == round(math.sqrt(2) ** (2 * model.layers))


def test_the_residual_brings_the_place_back() -> None:
    twins = LESSON["twins"]
    assert twins["embedded"] == 0
    assert twins["attended"] < twins["x"] / 4
    assert twins["residual"] > 0.8 * twins["x"]


@given(arrays(np.float64, 5, elements=st.floats(-4, 4, width=32)).filter(lambda v: v.var() > 1e-3))
def test_a_normalized_row_has_mean_zero_and_variance_a_little_below_one(row: np.ndarray) -> None:
    normalized = R.layer_norm(row, np.ones(5), np.zeros(5))
    assert normalized.mean() == pytest.approx(0, abs=1e-12)
    assert normalized.var() == pytest.approx(row.var() / (row.var() + R.EPSILON), rel=1e-12)
    assert normalized.var() < 1


def test_a_layer_norm_ignores_a_constant_and_hardly_sees_a_factor() -> None:
    assert NORMS["shifted_change"] < 1e-13
    assert all(entry["change"] < 1e-6 for entry in NORMS["scaled"])


def test_a_row_that_does_not_vary_becomes_beta() -> None:
    beta = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(R.layer_norm(np.full(3, 0.5), np.ones(3), beta), beta)


def test_company_changes_a_batch_norm_and_no_layer_norm() -> None:
    assert NORMS["batch"]["layer_change"] == 0
    assert NORMS["batch"]["batch_change"] > 1


def test_post_norm_keeps_the_size_of_states_and_pre_norm_lets_it_grow() -> None:
    sizes = NORMS["streams"]
    assert all(entry["post"] == pytest.approx(1, abs=1e-6) for entry in sizes)
    assert all(after["pre"] > before["pre"] for before, after in itertools.pairwise(sizes))


def test_gamma_zero_gives_beta_whatever_the_input() -> None:
    inputs = {**WORKED, "gamma1": np.zeros(4), "gamma2": np.zeros(4)}
    np.testing.assert_array_equal(TEXTS.trace(R, inputs).y, np.tile(WORKED["beta2"], (2, 1)))


def test_post_and_pre_norm_give_different_numbers_from_the_same_weights() -> None:
    assert np.abs(NORMS["post"].y - NORMS["pre"].y).max() > 1
    np.testing.assert_allclose(NORMS["post"].y, EXPECTED[0], atol=1e-14)


# --- the stack ------------------------------------------------------------------------------------


def test_parameter_formulas_count_the_arrays_of_a_block() -> None:
    facts, costs = TEXTS.facts, TEXTS.costs
    d_model, d_ff = WORKED["W1"].shape
    model = facts.Model("worked", 1, d_model, d_ff, 2, attention_biases=False, source="")
    arrays_ = {name: value for name, value in WORKED.items() if isinstance(value, np.ndarray)}
    assert costs.parameters(model)["block"] == sum(
        value.size for name, value in arrays_.items() if name != "x"
    )
    formula = 4 * d_model**2 + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    assert costs.parameters(model)["block"] == formula


def test_parameters_of_berts_blocks_follow_from_the_sizes_in_its_paper() -> None:
    for model in (TEXTS.facts.BERT_BASE, TEXTS.facts.BERT_LARGE):
        d = model.d_model
        assert model.d_ff == 4 * d
        assert model.d_k == 64
        counts = TEXTS.costs.parameters(model)
        assert counts["block"] == 12 * d**2 + 13 * d
        assert counts["feed_forward"] / counts["block"] == pytest.approx(2 / 3, abs=0.001)


def test_costs_count_the_products_of_matrices() -> None:
    T, d, d_ff, heads = 5, 8, 12, 2

    def product(rows: int, inner: int, columns: int) -> int:
        return rows * inner * columns

    counted = TEXTS.costs.multiplications(T, d, d_ff)
    assert counted["projections"] == 4 * product(T, d, d)
    one_head = product(T, d // heads, T) + product(T, T, d // heads)
    assert counted["mixing"] == heads * one_head
    assert counted["feed_forward"] == product(T, d, d_ff) + product(T, d_ff, d)


def test_the_square_overtakes_where_the_page_says() -> None:
    model = TEXTS.facts.PAPER
    meeting = TEXTS.costs.crossing(model)
    parts = TEXTS.costs.multiplications(meeting, model.d_model, model.d_ff)
    assert parts["mixing"] == parts["projections"] + parts["feed_forward"]
    assert f"which is {meeting:,} for the paper's sizes" in THEORY


def test_one_wide_block_weighs_and_costs_what_the_stack_does() -> None:
    model = TEXTS.facts.PAPER
    wide = TEXTS.costs.one_wide_block(model, TEXTS.COST_LENGTH)
    assert wide["weights"] == pytest.approx(wide["deep_weights"], rel=0.001)
    assert f"{wide['cost_share']:.2f} times the multiplications" in THEORY
    shortest = TEXTS.costs.one_wide_block(model, 1)
    assert shortest["cost_share"] == pytest.approx(1, abs=0.001)
    d = 7
    assert 4 * d**2 + 2 * d * (4 * d) == 12 * d**2


def test_the_paper_gains_little_from_more_than_six_blocks() -> None:
    depths = {blocks: bleu for blocks, _, bleu in TEXTS.facts.DEPTHS}
    assert depths[6] == max(depths.values())
    assert depths[6] - depths[2] > 2
    heads = dict(TEXTS.facts.HEADS)
    assert max(heads, key=lambda count: heads[count]) in (8, 16)


# --- code, quiz, references -----------------------------------------------------------------------


def test_the_numpy_script_runs_and_prints_what_the_page_shows() -> None:
    script = next(block for block in code_blocks(THEORY, "python") if "contexts" in block)
    (shown,) = code_blocks(THEORY, "text")
    printed = io.StringIO()
    namespace: dict[str, Any] = {}
    with contextlib.redirect_stdout(printed):
        exec(script, namespace)
    assert printed.getvalue() == shown
    np.testing.assert_allclose(namespace["y"], EXPECTED[0], atol=1e-14)


def test_the_worked_example_is_the_sample_to_the_last_digit() -> None:
    for value in EXPECTED.ravel():
        assert f"{float(value)!r}" in THEORY


def test_there_are_questions_enough_and_every_answer_is_folded() -> None:
    questions = re.findall(
        r"^\*\*(\d+)\.\*\* ", THEORY.split("## Knowledge check")[1], flags=re.MULTILINE
    )
    assert len(questions) >= 12
    assert questions == [str(number) for number in range(1, len(questions) + 1)]
    for number in questions:
        assert THEORY.count(f"<details>\n<summary>Answer {number}</summary>\n") == 1


def test_every_known_mistake_stands_in_the_table_with_its_output() -> None:
    from judge.mistakes import Mistakes

    known = Mistakes.load(Problem.load(ROOT)).known
    table = THEORY.split("### All known mistakes")[1].split("## In short")[0]
    assert all(f"| {mistake.title} | " in table for mistake in known)
    assert f"The judge knows {len(known)} mistakes" in THEORY


def test_only_cited_works_are_listed_and_all_of_them() -> None:
    works = TEXTS.WORKS
    listed = THEORY.split("## References")[1]
    for work in works.values():
        cited = f"[{work.short}]({work.url})" in THEORY
        assert cited == (f"[{work.title}]({work.url})" in listed), work.short
        assert cited, f"{work.short} is never cited"


def test_an_unknown_citation_is_refused() -> None:
    with pytest.raises(ValueError, match="no work is called 'nobody1999'"):
        TEXTS.Citations()("nobody1999")
