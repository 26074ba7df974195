"""What breaks checks of the test cases."""

from __future__ import annotations

import numpy as np

from tests.authoring.verify.changes import (
    Broken,
    blind,
    both,
    plus,
    with_case,
    with_entry,
    without,
)

CASES: list[Broken] = [
    (
        "admitted",
        with_entry("secret/one-head", bound=1e-10),
        [
            "error: secret/one-head: its error bound is 1.0e-10, over the tolerance of 2.0e-12: a "
            "right program may fail here"
        ],
    ),
    (
        "different-inputs",
        both(
            with_entry("secret/one-head", input_sha256="00"),
            with_entry("secret/one-token", input_sha256="00"),
        ),
        ["error: secret/one-head: has the same inputs as secret/one-token; leave one out"],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: case.expected * 1e-13),
        ["error: secret/one-head: its answer is below the tolerance: zeros would pass"],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: case.expected * 0 + 3),
        [
            "error: secret/one-head: its answer is the same number everywhere, whatever the "
            'inputs; where that is what the case shows, give it the tag "constant"'
        ],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: np.sign(case.expected)),
        [
            "error: secret/one-head: its answer is one number with either sign, whatever the "
            'inputs; where that is what the case shows, give it the tag "saturated"'
        ],
    ),
    (
        "answers",
        with_case("secret/one-head", expected=lambda case: case.expected[:0]),
        ["error: secret/one-head: its answer has no elements: anything of that shape passes"],
    ),
    (
        "answers",
        with_case("secret/one-head", tags=plus("constant")),
        ['error: secret/one-head: it has the tag "constant", but its answer is not that'],
    ),
    (
        "tags",
        with_case("secret/large-hidden-units", tags=without("large-hidden")),
        [
            'error: secret/large-hidden-units: lacks the tag "large-hidden", though the mistake '
            '"relu6" is wrong'
        ],
    ),
    (
        "tags",
        with_case("secret/one-head", tags=plus("near-eps")),
        [
            'error: secret/one-head: has the tag "near-eps", but it is not so that the mistake '
            '"eps-1e-8" is wrong by more than 0.05'
        ],
    ),
    (
        "tags",
        with_case("secret/one-head", tags=plus("large-logits")),
        [
            'error: secret/one-head: has the tag "large-logits", but it is not so that the mistake '
            '"softmax-unshifted" gives NaN or infinity'
        ],
    ),
    (
        "tags",
        with_case("secret/attention-off", tags=without("attention-off")),
        ['error: secret/attention-off: lacks the tag "attention-off", though W_o are all zeros'],
    ),
    (
        "explained-tags",
        with_case("secret/one-head", tags=plus("lonely")),
        ["error: tag lonely: it is carried by cases, but explained nowhere"],
    ),
    (
        "explained-tags",
        with_case("secret/signed-scales", tags=without("signed-gamma")),
        ["warning: tag signed-gamma: no case carries it"],
    ),
    (
        "worth-its-place",
        both(
            with_case("secret/tiny-feed-forward", tags=without("faint")),
            blind("secret/tiny-feed-forward"),
        ),
        [
            "warning: secret/tiny-feed-forward: catches nothing that secret/heads-of-width-one "
            "does not catch, and has no tag and no smallest size that it lacks; leave it out, or "
            "give it the tag that says what it shows"
        ],
    ),
]
