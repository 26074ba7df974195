"""A sentence of four tokens, followed from words to attention; made up, and small on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .trace import Array, Trace, trace

VOCABULARY = ("I", "hope", "pass", "the", "exam", "fail", "[PAD]")
SENTENCE = ("I", "hope", "I", "pass")
SHORT_SENTENCE = ("I", "hope", "[PAD]", "[PAD]")

EMBEDDINGS = np.array(
    [
        [0.5, -0.4, 0.9, 0.2],
        [-0.6, 0.8, 0.1, 0.7],
        [0.3, 0.6, -0.8, 0.4],
        [0.1, 0.1, -0.2, 0.3],
        [-0.7, 0.2, 0.5, -0.1],
        [0.4, 0.5, -0.9, -0.3],
        [0.0, 0.0, 0.0, 0.0],
    ]
)
"""One row a word, in the vocabulary's order. A trained model would have learned them."""

W_Q = np.array([[-0.5, 1, -1, -0.5], [-1, -1, -0.5, 0], [-1, -0.5, -1, 0], [-0.5, -1, -0.5, -1]])
W_K = np.array([[1, 0, 0.5, 0], [-1, 1, 0.5, -0.5], [-0.5, 0, 0.5, 0], [1, 1, -1, 0]])
W_V = np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [0.5, 0, -0.5, 0], [0, 0.5, 0, 0.5]])
W_O = np.array([[0.5, 0, 0.5, 0], [0, 0.5, 0, -0.5], [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
HEADS = 2

SHARPENINGS = (1, 4, 16)
"""Factors on the logits, to show a softmax that saturates."""


def token_ids(words: tuple[str, ...]) -> list[int]:
    """Return each word's place in the vocabulary."""
    return [VOCABULARY.index(word) for word in words]


def positional_encoding(length: int, width: int) -> Array:
    """Return the sinusoids of Vaswani et al. 2017, section 3.5: (length, width)."""
    position = np.arange(length)[:, None]
    feature = np.arange(width)
    angle = position / 10000 ** (2 * (feature // 2) / width)
    return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle))


def block_inputs(x: Array) -> dict[str, Any]:
    """Return arguments for a block around the lesson's attention; its other half is neutral."""
    width = x.shape[-1]
    return {
        "x": x[None],
        "W_q": W_Q,
        "W_k": W_K,
        "W_v": W_V,
        "W_o": W_O,
        "W1": np.eye(width),
        "b1": np.zeros(width),
        "W2": np.eye(width),
        "b2": np.zeros(width),
        "gamma1": np.ones(width),
        "beta1": np.zeros(width),
        "gamma2": np.ones(width),
        "beta2": np.zeros(width),
        "num_heads": HEADS,
    }


def embed(words: tuple[str, ...]) -> Array:
    """Look every word up."""
    return EMBEDDINGS[token_ids(words)]


def read(reference: Any, words: tuple[str, ...], blocked: NDArray[np.bool_] | None = None) -> Trace:
    """Embed, add positions, and run the attention."""
    rows = embed(words)
    x = rows + positional_encoding(*rows.shape)
    return trace(reference, block_inputs(x), blocked=blocked)


def causal_mask(length: int) -> NDArray[np.bool_]:
    """Return True where a key comes after its query."""
    return np.triu(np.ones((length, length), dtype=bool), k=1)


def padding_mask(words: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return True in the columns of padding: no query may see them."""
    pad = np.array([word == "[PAD]" for word in words])
    return np.broadcast_to(pad, (len(words), len(words)))


def values(reference: Any) -> dict[str, Any]:
    """Return everything that the theory page shows of the sentence."""
    rows = embed(SENTENCE)
    position = positional_encoding(*rows.shape)
    free = read(reference, SENTENCE)
    causal = read(reference, SENTENCE, causal_mask(len(SENTENCE)))
    short = [word for word in SHORT_SENTENCE if word != "[PAD]"]
    with np.errstate(invalid="ignore"):
        all_blocked = reference.softmax(np.full((1, len(SENTENCE)), -np.inf))
        zero_times_infinity = float(np.float64(0.0) * -np.inf)
    twins = [index for index, word in enumerate(SENTENCE) if SENTENCE.count(word) > 1]
    return {
        "vocabulary": VOCABULARY,
        "words": SENTENCE,
        "names": _named(SENTENCE),
        "ids": token_ids(SENTENCE),
        "embedded": rows,
        "position": position,
        "x": rows + position,
        "trace": free,
        "qkv_table": np.hstack([free.Q[0], free.K[0], free.V[0]]),
        "qkv_columns": [f"{name}, {i}" for name in "QKV" for i in range(free.Q.shape[-1])],
        "weights_table": np.hstack([free.weights[0], free.weights[0].sum(axis=1, keepdims=True)]),
        "weights_columns": [*_named(SENTENCE), "row sum"],
        "causal": causal,
        "short_words": SHORT_SENTENCE,
        "short_open": read(reference, SHORT_SENTENCE),
        "short_padded": read(reference, SHORT_SENTENCE, padding_mask(SHORT_SENTENCE)),
        "short_alone": read(reference, tuple(short)),
        "all_blocked": all_blocked[0],
        "zero_times_infinity": zero_times_infinity,
        "sharpened": _sharpened(reference, free),
        "permuted": _permuted(reference),
        "twins": _twins(twins, rows, rows + position, free),
    }


def _named(words: tuple[str, ...]) -> list[str]:
    """Tell equal words apart by their place: I (0), hope (1), I (2)."""
    return [f"{word} ({index})" for index, word in enumerate(words)]


def _sharpened(reference: Any, free: Trace) -> list[dict[str, Any]]:
    """Show one row of weights as its logits grow, and the largest slope of the softmax there.

    The derivative of a weight by its own logit is p (1 - p).
    """
    rows = []
    for factor in SHARPENINGS:
        weights = reference.softmax(factor * free.logits[0, 1])
        rows.append(
            {"factor": factor, "weights": weights, "slope": (weights * (1 - weights)).max()}
        )
    return rows


def _permuted(reference: Any) -> dict[str, Any]:
    """Exchange two words where no positions were added: the outputs change places, no more."""
    order = [3, 1, 2, 0]
    rows = embed(SENTENCE)
    straight = trace(reference, block_inputs(rows)).y
    shuffled = trace(reference, block_inputs(rows[order])).y
    return {
        "words": [SENTENCE[index] for index in order],
        "rows": [
            *(f"first order: {word}" for word in SENTENCE),
            *(f"exchanged: {SENTENCE[index]}" for index in order),
        ],
        "table": np.vstack([straight, shuffled]),
        "difference": float(np.abs(shuffled - straight[order]).max()),
    }


def _twins(twins: list[int], rows: Array, x: Array, free: Trace) -> dict[str, Any]:
    """How far the two equal words stand apart, stage by stage (Euclidean distance)."""

    def apart(states: Array) -> float:
        return float(np.linalg.norm(states[twins[0]] - states[twins[1]]))

    return {
        "places": twins,
        "word": SENTENCE[twins[0]],
        "embedded": apart(rows),
        "x": apart(x),
        "attended": apart(free.attended),
        "residual": apart(free.residual1),
    }
