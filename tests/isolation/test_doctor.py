"""The self-test claims what holds and no more; doctor, run and batch say so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.sandbox.selftest import (
    ANSWERS_UNREADABLE,
    JUDGE_UNREACHABLE,
    NO_NETWORK,
    NO_SURVIVORS,
    PROPERTIES,
)
from judge.sandbox.states import LAYERS, NAMESPACES
from tests.isolation.conftest import BARE, ROLES
from tests.isolation.stage import Stage

pytestmark = pytest.mark.isolation

PROVE = """
import json, sys
from pathlib import Path
from judge.sandbox.process import Sandbox
from judge.sandbox.selftest import prove
from tests.isolation import roles

roles.play(sys.argv[1])
with Sandbox(frozenset(filter(None, sys.argv[2].split(",")))) as sandbox:
    proof = prove(sandbox, [Path(name) for name in sys.argv[3:]])
print(json.dumps([proof.isolation.proved, proof.breaches, proof.isolation.layers]))
"""

COMMAND = """
import sys
from tests.isolation import roles

roles.play(sys.argv[1])
from judge.cli import main
main(sys.argv[2:])
"""


def python(stage: Stage, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [stage.python, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**stage.environment, "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
        cwd=stage.bundle,
        timeout=120,
        check=False,
    )


def prove(
    stage: Stage, role: str, off: frozenset[str] = frozenset(), *answers: str
) -> tuple[list[str], dict[str, list[str]], dict[str, str]]:
    done = python(stage, PROVE, role, ",".join(sorted(off)), *answers)
    assert done.returncode == 0, done.stderr
    proved, breaches, layers = json.loads(done.stdout)
    return proved, breaches, layers


@pytest.mark.parametrize("role", ROLES)
def test_all_four_properties_are_proved_with_all_layers(role: str, on_stage: Stage) -> None:
    proved, breaches, layers = prove(on_stage, role)
    assert (proved, breaches) == (list(PROPERTIES), {})
    assert set(layers) == set(LAYERS)
    if role.startswith("container"):
        assert all(layers[name].startswith(("missing", "not needed")) for name in NAMESPACES)
        assert layers["landlock"].startswith("ok (abi ")
        assert layers["seccomp"] == "ok"


NOBODY = frozenset({"unused-user"})


@pytest.mark.parametrize(
    ("lost", "off", "deed"),
    [
        (ANSWERS_UNREADABLE, {"own-root", "landlock"}, "opened a canary file of the judge"),
        (NO_NETWORK, {"network-namespace", "seccomp", "landlock"}, "connected by TCP"),
        (NO_NETWORK, {"network-namespace", "seccomp"}, "sent a datagram by UDP"),
        (NO_NETWORK, {"own-root", "seccomp"}, "connected to a Unix socket by its path"),
        (NO_SURVIVORS, {"seccomp", "limits", "sweep"}, "left a process behind"),
        (JUDGE_UNREACHABLE, {"seccomp", "process-namespace", "landlock"}, "signalled the judge"),
        (JUDGE_UNREACHABLE, {"seccomp", "process-namespace"}, "read the judge's limits"),
    ],
)
@pytest.mark.parametrize("role", BARE)
def test_a_property_that_does_not_hold_is_not_claimed(
    role: str, lost: str, off: set[str], deed: str, on_stage: Stage
) -> None:
    as_root = NOBODY if role == "root" else frozenset()
    proved, breaches, _ = prove(on_stage, role, frozenset(off) | as_root)
    assert lost not in proved
    assert any(deed in breach for breach in breaches[lost]), breaches


def test_a_zygote_that_can_be_killed_is_no_proof(on_stage: Stage) -> None:
    off = frozenset({"seccomp", "process-namespace", "landlock"})
    _, breaches, _ = prove(on_stage, BARE[-1], off)
    assert any("signalled the zygote" in breach for breach in breaches[JUDGE_UNREACHABLE])


# ------------------------------------------------------------------- what people are told


@pytest.mark.parametrize("role", ROLES)
def test_doctor_proves_everything_here(role: str, on_stage: Stage) -> None:
    done = python(on_stage, COMMAND, role, "doctor", "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["proved"] == list(PROPERTIES)
    assert [layer["name"] for layer in document["layers"]]
    for layer in document["layers"]:
        # Whatever is missing says why, and what to do.
        assert (layer["state"] == "missing") == ("remedy" in layer)
        assert (layer["state"] == "missing") == bool(layer.get("reason"))
    text = python(on_stage, COMMAND, role, "doctor").stdout
    for name in (*LAYERS, *PROPERTIES):
        assert name in text
    assert "All four properties hold" in text


def test_doctor_says_what_does_not_hold_why_and_what_to_do(on_stage: Stage) -> None:
    done = python(on_stage, COMMAND, "old-container-user", "doctor")
    assert done.returncode == 3
    text = " ".join(done.stdout.split())
    assert "landlock missing" in text
    assert "why: landlock_create_ruleset: Function not implemented" in text
    assert "what to do: boot Linux 5.13 or later" in text
    assert "answers-unreadable NOT proved" in text
    assert "a worker opened a canary file of the judge" in text
    assert "a worker opened an answer file" in text
    assert "no-network proved" in text


def test_run_warns_in_one_line_where_a_property_is_missing(on_stage: Stage) -> None:
    right = "reference/encoder_block.py"
    done = python(on_stage, COMMAND, "old-container-user", "run", right)
    assert done.returncode == 0
    (warning,) = done.stderr.strip().splitlines()
    assert "answers-unreadable not proved" in warning
    assert "judge doctor" in warning
    assert not python(on_stage, COMMAND, "container-user", "run", right).stderr


def test_batch_refuses_where_a_property_is_missing_unless_told(on_stage: Stage) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        arguments = ["batch", "reference", "--output", f"{folder}/out"]
        refused = python(on_stage, COMMAND, "old-container-user", *arguments)
        assert refused.returncode == 3
        assert "answers-unreadable not proved" in refused.stderr
        assert "--allow-weak-isolation" in refused.stderr


@pytest.fixture
def private_bundle() -> Iterator[Path]:
    """A bundle whose test cases only its owner may read; everything else is open."""
    folder = Path(tempfile.mkdtemp(prefix="judge-private-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_without_landlock_and_namespaces_root_keeps_the_answers_by_their_owner(
    on_stage: Stage, private_bundle: Path
) -> None:
    bundle = private_bundle / "bundle"
    shutil.copytree(on_stage.bundle, bundle)
    arguments = ["doctor", "--format", "json", "--problem", str(bundle)]
    open_to_all = python(on_stage, COMMAND, "old-container-root", *arguments)
    assert open_to_all.returncode == 3
    assert "a worker opened an answer file" in open_to_all.stdout
    (bundle / "testcases").chmod(0o700)
    closed = python(on_stage, COMMAND, "old-container-root", *arguments)
    assert json.loads(closed.stdout)["proved"] == list(PROPERTIES)
    assert closed.returncode == 0
