"""What `judge verify` measures of this repository, once for all tests."""

from __future__ import annotations

import pytest

from judge.authoring import verify as verification
from judge.authoring.verify import gather
from judge.authoring.verify.evidence import Evidence
from judge.authoring.verify.findings import Findings
from judge.authoring.verify.ladder import ladder


@pytest.fixture(scope="session")
def measured(problem, tmp_path_factory) -> Evidence:
    """What was measured of this repository, with two accepted submissions to save time."""
    few = ["reference/encoder_block.py", "submissions/accepted/list_of_heads.py"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(gather, "accepted_files", lambda p: [p.folder / name for name in few])
        evidence = gather.load_parts(problem, Findings())
        assert evidence is not None
        return gather.run_all(evidence)


@pytest.fixture(scope="session")
def outcome(measured) -> verification.Verification:
    return verification.Verification(measured, Findings(), ladder(measured))
