"""What breaks checks of the bundle's files, of its submissions and of its texts."""

from __future__ import annotations

import dataclasses

from judge.verdicts import Verdict
from tests.authoring.verify.changes import (
    SIGNATURE,
    Broken,
    add_file,
    constraint,
    credited,
    hint,
    in_copy,
    old_statement,
    rename_in_starter,
    replaced,
    with_accepted,
    with_limit,
    with_problem,
)

BUNDLE: list[Broken] = [
    (
        "licence",
        with_problem(license="free"),
        [
            "error: problem.yaml: license: 'free' tells nobody what they may do; write one of cc "
            "by, cc by-sa, cc0, educational, permission, public domain"
        ],
    ),
    (
        "licence",
        with_problem(rights_owner=""),
        ["error: problem.yaml: rights_owner: missing: a licence has an owner"],
    ),
    (
        "uuid",
        with_problem(uuid="encoder"),
        ["error: problem.yaml: uuid: 'encoder' is no UUID; make one with: python -m uuid -u uuid4"],
    ),
    (
        "uuid",
        with_problem(uuid="00000000-0000-0000-0000-000000000000"),
        ["error: problem.yaml: uuid: all zeros: make one with python -m uuid -u uuid4"],
    ),
    ("credits", credited(" "), ["error: problem.yaml: credits.authors: names nobody"]),
    (
        "credits",
        with_problem(source=[]),
        ["error: problem.yaml: source: names no source; cite the paper or book"],
    ),
    (
        "starter",
        in_copy(rename_in_starter),
        [
            f"error: starter/encoder_block.py: encoder_block({SIGNATURE[:-9]}heads) differs from "
            f"problem.yaml's ({SIGNATURE})"
        ],
    ),
    (
        "starter",
        in_copy(lambda bundle: (bundle / "starter/encoder_block.py").write_text("x = (\n")),
        ["error: starter/encoder_block.py: no Python source: '(' was never closed (line 1)"],
    ),
    (
        "starter",
        in_copy(lambda bundle: (bundle / "starter/encoder_block.py").unlink()),
        ["error: starter/encoder_block.py: can't be read: No such file or directory"],
    ),
    (
        "constraints",
        constraint("At most 8 sequences.", "batch <= 9"),
        [
            "error: problem.yaml: constraints[0]: the expression has 9, the words don't: "
            "'At most 8 sequences.'"
        ],
    ),
    (
        "names-in-texts",
        hint("Scale by gamma3, then add beta1."),
        [
            'error: problem.yaml: hints[0]: "gamma3" is neither in the signature nor in the '
            'reference (did you mean "gamma"?)'
        ],
    ),
    (
        "up-to-date",
        in_copy(lambda b: (b / "testcases/secret/cube.ans.json").write_bytes(b"{}")),
        [
            "error: testcases: secret/cube.ans.json: the file was edited or cut short since it was "
            "made; make them again: judge generate"
        ],
    ),
    (
        "up-to-date",
        replaced("generator/cases.yaml", "format: 1\n", "format: 2\n"),
        ["error: generator/cases.yaml: format: expected 1, got 2"],
    ),
    (
        "expectations",
        add_file("submissions/hostile/new_attack.py"),
        [
            "error: submissions/hostile/new_attack.py: submissions/expected.yaml does not say what "
            "must come of it"
        ],
    ),
    (
        "expectations",
        in_copy(lambda bundle: (bundle / "submissions/compile_error/empty.py").unlink()),
        [
            "error: submissions/expected.yaml: compile_error/empty.py: matches no submission that "
            "is left for it"
        ],
    ),
    (
        "accepted-margin",
        with_accepted(errors={"secret/three-heads": 0.02}, name="near.py"),
        [
            "error: near.py: on secret/three-heads its error is 1/50 of the tolerance, allowed is "
            "1/100"
        ],
    ),
    (
        "accepted-margin",
        with_accepted(verdict=Verdict.WA, why="secret/cube: off", name="wrong.py"),
        ["error: wrong.py: must be accepted, and gets WA: secret/cube: off"],
    ),
    (
        "accepted-margin",
        lambda e, _: dataclasses.replace(e, accepted=[]),
        ["error: submissions/accepted: there is no submission that must be accepted"],
    ),
    (
        "time-limit",
        with_limit(2.0),
        [
            "warning: problem.yaml: limits.time_limit: 2 s is 4.0 times the slowest call of "
            "slow.py here (0.500 s), demanded is 10 times; machines differ, so measure again when "
            "nothing else runs"
        ],
    ),
    (
        "time-limit",
        with_limit(11.0),
        ["error: problem.yaml: limits.time_limit: 11 s is over 10 s: nobody waits so long"],
    ),
    (
        "texts",
        in_copy(old_statement),
        ["error: statement.md: the text is older than the data; render it again: judge statement"],
    ),
]
