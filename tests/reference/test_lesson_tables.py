"""A lesson's printed tables, by the reference's parts: "The Transformer Encoder" of the seed texts.

The lesson carries the sentence "I think I understand" through an encoder, 4 tokens of 4 features.
It prints its tables to 2 or 3 decimals, and works on with what it printed: the attention weights
follow from the printed queries and keys, and under the mask from logits of two decimals. Each table
that its text determines is here; one printed number of them is off, and is named.
"""

import numpy as np
import pytest
from blocks import numpy_reference

EMBEDDING_TABLE = np.array(
    [[1, 0, 3, 2], [4, 1, 0, 2], [0, 3, 1, 4], [2, 2, 4, 0], [3, 0, 2, 1], [1, 4, 0, 3]]
)
VOCABULARY = {"I": 0, "think": 1, "understand": 2, "love": 3, "dog": 4, "cat": 5}

W_Q = np.array([[1, 0], [1, 0], [0, 1], [0, 1]]) / 4
W_K = np.array([[1, 0], [0, 1], [1, 0], [0, 1]]) / 4
W_V = np.array([[0, 1], [1, 0], [1, 0], [0, 2]]) / 4

QUERIES = np.array([[0.5, 1.5], [1.59, 0.75], [0.37, 1.5], [0.54, 1.51]])
KEYS = np.array([[1.0, 1.0], [1.21, 1.14], [1.23, 0.65], [0.29, 1.75]])
VALUES = np.array([[1.0, 1.75], [0.39, 2.71], [0.65, 1.98], [0.76, 2.54]])

MULTI_HEAD_OUTPUT = np.array(
    [
        [0.754, 1.802, 0.985, 1.571],
        [0.718, 1.789, 0.994, 1.513],
        [0.746, 1.813, 0.996, 1.563],
        [0.748, 1.808, 0.992, 1.564],
    ]
)
W1 = np.array(
    [
        [0.5, 0, 0, 0.5, 0.5, 0],
        [0.5, 0.5, 0, 0, 0, 0.5],
        [0, 0.5, 0.5, 0, 0.5, 0],
        [0, 0, 0.5, 0.5, 0, 0.5],
    ]
)
b1 = np.array([-1.0, -1.2, -1.0, -1.3, -0.9, -1.1])
W2 = np.array(
    [
        [0.4, 0, 0, 0.2],
        [0, 0.4, 0.2, 0],
        [0.2, 0, 0.4, 0],
        [0, 0.2, 0, 0.4],
        [0.3, 0, 0.3, 0],
        [0, 0.3, 0, 0.3],
    ]
)
b2 = np.array([0.1, 0.1, 0.1, 0.1])


def positional_encoding(sequence, d_model):
    """Vaswani et al. (2017), section 3.5: sines on even features, cosines on odd ones."""
    encoding = np.empty((sequence, d_model))
    for position in range(sequence):
        for feature in range(d_model):
            angle = position / 10000 ** ((feature - feature % 2) / d_model)
            encoding[position, feature] = np.cos(angle) if feature % 2 else np.sin(angle)
    return encoding


@pytest.fixture(scope="module")
def embedded():
    return EMBEDDING_TABLE[[VOCABULARY[word] for word in ("I", "think", "I", "understand")]]


@pytest.fixture(scope="module")
def x(embedded):
    return embedded + positional_encoding(4, 4)


@pytest.fixture(scope="module")
def logits():
    return QUERIES @ KEYS.T / np.sqrt(2)


@pytest.fixture(scope="module")
def masked(logits):
    future = np.triu(np.ones((4, 4), dtype=bool), k=1)
    return np.where(future, -np.inf, np.round(logits, 2))


def printed(values, decimals):
    return (np.round(values, decimals) + 0.0).tolist()


def test_embedding(embedded):
    assert embedded.tolist() == [[1, 0, 3, 2], [4, 1, 0, 2], [1, 0, 3, 2], [0, 3, 1, 4]]


def test_positional_encoding():
    assert printed(positional_encoding(4, 4), 2) == [
        [0.0, 1.0, 0.0, 1.0],
        [0.84, 0.54, 0.01, 1.0],
        [0.91, -0.42, 0.02, 1.0],
        [0.14, -0.99, 0.03, 1.0],
    ]


def test_embedding_with_positions(x):
    assert printed(x, 2) == [
        [1.0, 1.0, 3.0, 3.0],
        [4.84, 1.54, 0.01, 3.0],
        [1.91, -0.42, 3.02, 3.0],
        [0.14, 2.01, 1.03, 5.0],
    ]


def test_keys_and_values(x):
    assert printed(x @ W_K, 2) == KEYS.tolist()
    assert printed(x @ W_V, 2) == VALUES.tolist()


def test_queries_but_for_one_that_the_lesson_cuts_off(x):
    queries = x @ W_Q
    differing = np.argwhere(np.round(queries, 2) != QUERIES).tolist()
    assert differing == [[1, 0]]
    assert printed(queries[1, 0], 4) == 1.5954  # the lesson has 1.59


def test_attention_weights(logits):
    assert printed(numpy_reference.softmax(logits), 3) == [
        [0.212, 0.265, 0.158, 0.365],
        [0.243, 0.332, 0.262, 0.163],
        [0.208, 0.255, 0.153, 0.383],
        [0.212, 0.267, 0.16, 0.361],
    ]


def test_attention_output(logits):
    assert printed(numpy_reference.softmax(logits) @ VALUES, 3) == [
        [0.695, 2.329],
        [0.667, 2.258],
        [0.699, 2.333],
        [0.695, 2.328],
    ]


def test_attention_weights_under_the_causal_mask(masked):
    assert printed(numpy_reference.softmax(masked), 3) == [
        [1.0, 0.0, 0.0, 0.0],
        [0.423, 0.577, 0.0, 0.0],
        [0.337, 0.416, 0.247, 0.0],
        [0.213, 0.267, 0.159, 0.361],
    ]


def test_attention_output_under_the_causal_mask(masked):
    assert printed(numpy_reference.softmax(masked) @ VALUES, 3) == [
        [1.0, 1.75],
        [0.648, 2.304],
        [0.66, 2.206],
        [0.695, 2.329],
    ]


FEED_FORWARD_OUTPUT = [
    [0.267, 0.353, 0.25, 0.332],
    [0.252, 0.342, 0.24, 0.316],
    [0.268, 0.358, 0.253, 0.332],
    [0.267, 0.356, 0.251, 0.331],
]


def test_feed_forward_output():
    output = numpy_reference.feed_forward(MULTI_HEAD_OUTPUT, W1, b1, W2, b2)
    assert printed(output, 3) == FEED_FORWARD_OUTPUT


def test_residual_and_layer_norm():
    transformed = numpy_reference.feed_forward(MULTI_HEAD_OUTPUT, W1, b1, W2, b2)
    normed = numpy_reference.layer_norm(MULTI_HEAD_OUTPUT + transformed, np.ones(4), np.zeros(4))
    assert printed(normed, 3) == [
        [-1.198, 1.239, -0.738, 0.696],
        [-1.237, 1.279, -0.666, 0.624],
        [-1.213, 1.256, -0.711, 0.668],
        [-1.208, 1.251, -0.719, 0.677],
    ]
