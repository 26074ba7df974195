"""What the isolation tests share: a stage that every user may read, and runs of the driver."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.isolation import roles, stage

Drive = Callable[..., dict[str, Any]]

ROLES = roles.ROOT_ROLES if os.geteuid() == 0 else roles.USER_ROLES
BARE = [role for role in ROLES if not role.startswith("container")]
"""The roles that no container engine restricts."""


@pytest.fixture(scope="session")
def on_stage() -> Iterator[stage.Stage]:
    """An interpreter, packages and bundle that every user may read."""
    folder = Path(tempfile.mkdtemp(prefix="judge-stage-"))
    try:
        yield stage.build(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def drive(on_stage: stage.Stage) -> Drive:
    """Run attacks in a role, with layers off, and return what the driver saw."""

    def run(
        role: str,
        attacks: list[str],
        off: frozenset[str] = frozenset(),
        scale: float = 1.0,
        **environment: str,
    ) -> dict[str, Any]:
        request = {"off": sorted(off), "attacks": attacks, "scale": scale}
        done = subprocess.run(
            [on_stage.python, "-m", "tests.isolation.driver", role],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            env={**on_stage.environment, **environment},
            cwd=on_stage.bundle,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run
