"""`judge verify` of bundles that can't even be read."""

from __future__ import annotations

from pathlib import Path

from judge.authoring import verify as verification
from judge.authoring.verify.table import to_text
from judge.problem import Problem
from tests.authoring.verify.changes import MISTAKES


def broken(bundle: Path) -> list[str]:
    found = verification.verify(Problem.load(bundle), static=True)
    assert found.evidence is None
    assert (
        to_text(found).splitlines()[-1].endswith("nothing more can be checked before they are gone")
    )
    return [str(finding) for finding in found.findings.found]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_an_edit_that_matches_not_once_is_told(bundle):
    edit(bundle / MISTAKES, 'softmax, replace: "np.exp(logits"', 'softmax, replace: "logits"')
    (found,) = broken(bundle)
    assert found.startswith(f"error: {MISTAKES}: mistakes[")
    assert found.endswith(
        "replace: 'logits' stands 4 times in function softmax, expected exactly once [readable]"
    )


def test_inputs_outside_the_constraints_are_told(bundle):
    edit(bundle / "problem.yaml", "sequence <= 64", "sequence <= 47")
    assert broken(bundle) == [
        "error: testcases/secret/long-sequence.in.json: breaks the constraint 'batch <= 8 and "
        "sequence <= 47 and d_model <= 64 and d_ff <= 256': batch = 1, d_ff = 16, d_model = 8, "
        "sequence = 48 [readable]"
    ]


def test_a_signature_that_disagrees_with_the_data_is_told(bundle):
    edit(bundle / "problem.yaml", 'type: "float64[d_ff]"', 'type: "float64[d_model]"')
    assert all("b1: expected shape" in finding for finding in broken(bundle))


def test_all_broken_parts_are_told_in_one_run(bundle):
    (bundle / "testcases" / "secret" / "cube.ans.json").unlink()
    (bundle / MISTAKES).write_text("format: 1\n", encoding="utf-8")
    found = broken(bundle)
    assert len(found) == 2
    assert "cube.ans.json: the file is missing" in found[0]
    assert "mistakes: this key is missing" in found[1]
