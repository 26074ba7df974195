"""What breaks checks of the known mistakes."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np

from tests.authoring.verify.changes import (
    MISTAKES,
    Broken,
    in_copy,
    off_by,
    rename_counterexample,
    told_apart,
    with_case,
    with_mistake,
    with_results,
    without,
)

KNOWN_MISTAKES: list[Broken] = [
    (
        "mistakes-run",
        with_results("no-relu", lambda case, _: case.expected * np.nan),
        [
            f"error: {MISTAKES}: no-relu: gives nothing but NaN on 38 of 38 cases: it raises, or "
            "is no Python; run it by hand with its edits made"
        ],
    ),
    (
        "mistake-survives",
        with_results("no-relu", lambda case, _: case.expected),
        [
            f"error: {MISTAKES}: no-relu: no case rejects it (error over tolerance 0); add a case "
            "that shows it"
        ],
    ),
    (
        "margin",
        with_results("no-relu", off_by(1e-9)),
        [
            f"error: {MISTAKES}: no-relu: its best case rejects it by 500 tolerances, demanded are "
            "1000"
        ],
    ),
    (
        "margin",
        with_results("rounded-8", off_by(2e-11)),
        [
            f"error: {MISTAKES}: rounded-8: its best case rejects it by 10 tolerances, demanded "
            "are 20"
        ],
    ),
    (
        "margin",
        with_results("rounded-12", off_by(1e-9)),
        [
            f"error: {MISTAKES}: rounded-12: below_tolerance says that it passes on purpose, but "
            "500 tolerances off is enough to reject it; remove the key"
        ],
    ),
    (
        "samples-see",
        with_mistake("relu6", not_in_samples=""),
        [
            f"error: {MISTAKES}: relu6: the samples accept it and the core rejects it: learners "
            "will pass every sample; say under not_in_samples what it takes to see it"
        ],
    ),
    (
        "samples-see",
        with_mistake("no-relu", not_in_samples="Needs luck."),
        [f"error: {MISTAKES}: no-relu: not_in_samples says that no sample shows it, but one does"],
    ),
    (
        "core-sees",
        with_case("secret/large-hidden-units", tags=without("core")),
        [
            f"error: {MISTAKES}: relu6: some case rejects it and no core case does: the diagnosis "
            'can\'t name it; give such a case the tag "core"'
        ],
    ),
    (
        "core-sees",
        lambda e, _: dataclasses.replace(
            e, cases=[msgspec.structs.replace(c, tags=without("core")(c)) for c in e.cases]
        ),
        ['warning: testcases: no case has the tag "core": the diagnosis compares a few small ones'],
    ),
    (
        "same-outputs",
        with_mistake("scaled-twice", same_as=None),
        [
            f"error: {MISTAKES}: scaled-twice: gives the same results as scale-d-k on every case; "
            "if it is the same function, say same_as: scale-d-k; if not, add a case that tells "
            "them apart"
        ],
    ),
    (
        "same-outputs",
        with_mistake("no-relu", same_as="no-scale"),
        [f"error: {MISTAKES}: no-relu: same_as joins it with no-scale, but their results differ"],
    ),
    (
        "told-apart",
        told_apart("no-relu", ["no-relu", "tanh"]),
        [
            f"warning: {MISTAKES}: no-relu: of a submission that makes it the diagnosis names "
            "no-relu, tanh; a core case that tells them apart would help"
        ],
    ),
    (
        "advice",
        with_mistake("rounded-8", advice=["Look.", "It is rounded.", "Don't."]),
        [
            f"error: {MISTAKES}: rounded-8: advice: it is off by less than 1e-05 on every core "
            "case, and no line says that np.allclose would accept it and why it is wrong all the "
            "same"
        ],
    ),
    (
        "counterexamples",
        in_copy(rename_counterexample),
        [
            f"error: {MISTAKES}: no-relu: has no counterexample; make it: judge generate",
            'error: testcases/counterexamples.json: "no-reloo" is no known mistake',
        ],
    ),
]
