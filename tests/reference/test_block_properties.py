"""What must hold of an encoder block whatever its numbers: of the exact one to the last bit."""

import numpy as np
from blocks import PARAMETERS, blocks, exact, numpy_reference, replaced
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from judge.authoring.arithmetic import prove

FEW = settings(max_examples=20, deadline=None)


def proved(inputs):
    return prove(exact.encoder_block, inputs).values


def computed(inputs):
    return numpy_reference.encoder_block(*inputs)


def value(inputs, name):
    return inputs[PARAMETERS.index(name)]


def close(actual, expected):
    # Both are float64 results; kinds of inputs that amplify rounding reach 1e-11.
    return np.allclose(actual, expected, rtol=1e-9, atol=1e-9)


@given(inputs=blocks(), data=st.data())
@FEW
def test_permuting_positions_permutes_the_output(inputs, data):
    x = value(inputs, "x")
    order = data.draw(st.permutations(range(x.shape[1])))
    moved = replaced(inputs, x=x[:, order])
    assert np.array_equal(proved(moved), proved(inputs)[:, order])
    assert close(computed(moved), computed(inputs)[:, order])


@given(inputs=blocks())
@FEW
def test_sequences_of_a_batch_do_not_mix(inputs):
    x = value(inputs, "x")
    alone = [replaced(inputs, x=x[i : i + 1]) for i in range(len(x))]
    assert np.array_equal(np.concatenate([proved(one) for one in alone]), proved(inputs))
    assert close(np.concatenate([computed(one) for one in alone]), computed(inputs))


@given(inputs=blocks(num_heads=3), data=st.data())
@FEW
def test_the_order_of_heads_does_not_matter(inputs, data):
    width = value(inputs, "x").shape[-1] // 3
    columns = [
        head * width + column
        for head in data.draw(st.permutations(range(3)))
        for column in range(width)
    ]
    changes = {name: value(inputs, name)[:, columns] for name in ("W_q", "W_k", "W_v")}
    moved = replaced(inputs, W_o=value(inputs, "W_o")[columns], **changes)
    assert np.array_equal(proved(moved), proved(inputs))
    assert close(computed(moved), computed(inputs))


@given(inputs=blocks(), data=st.data())
@FEW
def test_the_order_of_hidden_units_does_not_matter(inputs, data):
    W1, b1, W2 = (value(inputs, name) for name in ("W1", "b1", "W2"))
    order = data.draw(st.permutations(range(len(b1))))
    moved = replaced(inputs, W1=W1[:, order], b1=b1[order], W2=W2[order])
    assert np.array_equal(proved(moved), proved(inputs))
    assert close(computed(moved), computed(inputs))


@given(inputs=blocks())
@FEW
def test_gamma_of_zero_gives_beta(inputs):
    off = replaced(inputs, gamma2=np.zeros_like(value(inputs, "gamma2")))
    expected = np.broadcast_to(value(inputs, "beta2"), value(inputs, "x").shape)
    assert np.array_equal(proved(off), expected)
    assert np.array_equal(computed(off), expected)


@given(inputs=blocks(["generic", "large", "near epsilon"]))
@FEW
def test_attention_weights_sum_to_one_in_the_block(inputs):
    # With equal values at every position, attention hands them on unchanged.
    x = value(inputs, "x").copy()
    x[..., 0] = 1.0
    W_v = np.zeros_like(value(inputs, "W_v"))
    W_v[0] = 1.0
    W_q, W_k, num_heads = (value(inputs, name) for name in ("W_q", "W_k", "num_heads"))
    identity = np.eye(len(W_v))
    arguments = [x, W_q, W_k, W_v, identity, num_heads]
    assert np.array_equal(prove(exact.attention, arguments).values, np.ones_like(x))
    attended = numpy_reference.multi_head_attention(*arguments)
    assert np.allclose(attended, 1.0, rtol=0, atol=1e-15 * x.shape[1] + 2e-15)


LOGITS = arrays(np.float64, (3, 5), elements=st.integers(-30_000, 30_000).map(lambda k: k / 1000))


@given(logits=LOGITS)
@FEW
def test_attention_weights_are_positive_and_sum_to_one(logits):
    def total(ops, x):
        return ops.sum(ops.softmax(x), axis=-1)

    assert prove(total, [logits]).values.tolist() == [1.0] * 3
    weights = numpy_reference.softmax(logits)
    assert (weights > 0).all()
    assert np.allclose(weights.sum(axis=-1), 1.0, rtol=0, atol=5e-16)


@given(logits=LOGITS, constant=st.integers(-1_000_000, 1_000_000))
@FEW
def test_a_constant_added_to_all_logits_changes_nothing(logits, constant):
    def shifted(ops, x):
        return ops.softmax(ops.add(x, constant))

    weights = prove(lambda ops, x: ops.softmax(x), [logits]).values
    assert np.array_equal(prove(shifted, [logits]).values, weights)
    # The sum of logit and constant is rounded to the constant's last place.
    rounding = np.spacing(abs(constant) + 30.0)
    assert np.allclose(
        numpy_reference.softmax(logits + constant), weights, rtol=4 * rounding + 4e-15
    )


@given(inputs=blocks(), constant=st.integers(-8, 8))
@FEW
def test_a_constant_added_to_all_features_leaves_a_layer_norm_alone(inputs, constant):
    x, gamma, beta = (value(inputs, name) for name in ("x", "gamma1", "beta1"))

    def normed(ops, x, gamma, beta):
        return ops.layer_norm(x, gamma, beta, 1e-6)

    def shifted(ops, x, gamma, beta):
        return ops.layer_norm(ops.add(x, constant), gamma, beta, 1e-6)

    assert np.array_equal(
        prove(shifted, [x, gamma, beta]).values, prove(normed, [x, gamma, beta]).values
    )
    assert close(
        numpy_reference.layer_norm(x + constant, gamma, beta),
        numpy_reference.layer_norm(x, gamma, beta),
    )
