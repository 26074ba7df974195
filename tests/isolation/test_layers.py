"""States of layers, in words; nothing here enters one."""

from __future__ import annotations

import errno
import os
import signal

import pytest

from judge.sandbox import layers, rlimits, seccomp, sweep, syscalls
from judge.sandbox.advice import ADVICE
from judge.sandbox.selftest import PROBES, PROPERTIES, meaning
from judge.sandbox.states import LAYERS, NAMESPACES, Layers


def test_every_layer_has_its_purpose_and_its_remedy() -> None:
    assert list(ADVICE) == list(LAYERS)
    assert set(LAYERS) >= NAMESPACES
    assert all(advice.purpose and advice.remedy for advice in ADVICE.values())


def test_every_property_is_probed_and_has_a_meaning() -> None:
    assert {name for name, _ in PROBES} == set(PROPERTIES)
    assert all(meaning(name) for name in PROPERTIES)


def refused() -> None:
    raise OSError(errno.EPERM, "mount: Operation not permitted")


def test_a_layer_is_in_force_off_or_missing_with_the_reason() -> None:
    found = Layers(frozenset({"seccomp"}))
    assert found.enter("landlock", lambda: "abi 7")
    assert found.enter("limits", lambda: 0)
    assert not found.enter("own-root", refused)
    assert not found.enter("seccomp", refused)
    found.spare("user-namespace", "root")
    assert found.states == {
        "landlock": "ok (abi 7)",
        "limits": "ok",
        "own-root": "missing: mount: Operation not permitted",
        "seccomp": "off",
        "user-namespace": "not needed (root)",
    }


@pytest.mark.parametrize(
    ("machine", "state"),
    [
        ("x86_64", "ok"),
        ("aarch64", "ok (unverified on this architecture)"),
        ("riscv64", "missing: no table of calls for riscv64"),
    ],
)
def test_an_architecture_that_nobody_has_run_says_so(
    machine: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "machine", lambda: machine)
    monkeypatch.setattr(seccomp, "install", lambda code: None)
    prepared = layers._Prepared(filter=layers._prepare_filter())
    monkeypatch.setattr(layers, "_prepared", prepared)
    found = Layers(frozenset())
    found.enter("seccomp", layers._install_filter)
    assert found.states == {"seccomp": state}


def test_only_an_init_or_a_user_of_its_own_kills_everything() -> None:
    assert os.getpid() != 1
    assert not sweep.sweeper(-1, own_user=False).everything
    assert sweep.sweeper(-1, own_user=True).everything
    # Without a list of children nothing is killed.
    assert sweep.sweeper(-1, own_user=False).sweep() == 0


def test_a_sweep_kills_children_and_grandchildren() -> None:
    reading, writing = os.pipe()
    parent = os.fork()
    if parent == 0:
        sweep.adopt_orphans()
        listing = sweep.open_children()
        if os.fork() == 0:
            if os.fork() == 0:
                os.setsid()
            os.write(writing, b".")
            while True:
                signal.pause()
        os.read(reading, 1)
        os.read(reading, 1)
        swept = sweep.sweeper(listing, own_user=False).sweep()
        os._exit(swept)
    _, status = os.waitpid(parent, 0)
    os.close(reading)
    os.close(writing)
    assert os.waitstatus_to_exitcode(status) == 2


def test_limits_are_lowered_to_those_in_force_never_raised() -> None:
    assert rlimits._within((100, 101), 50) == (50, 50)
    assert rlimits._within((100, 101), 1000) == (100, 101)
    assert all(soft <= hard for soft, hard in rlimits.limits(1 << 30, 5).values())
