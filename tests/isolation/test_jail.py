"""What works inside the jail: NumPy with one thread, and the modules that solutions use."""

from __future__ import annotations

import os

import pytest

from tests.isolation.conftest import ROLES, Drive

pytestmark = pytest.mark.isolation


@pytest.mark.parametrize("role", ROLES)
def test_modules_that_solutions_use_and_all_of_numpy_import(role: str, drive: Drive) -> None:
    result = drive(role, ["tests/isolation/imports"])["results"]["tests/isolation/imports"]
    assert "IMPORTED" in result["output"], result["messages"]
    assert result["next"] == "AC"


@pytest.mark.parametrize("role", ROLES)
def test_numpy_has_one_thread_whatever_the_environment_says(role: str, drive: Drive) -> None:
    many = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "8")
    found = drive(role, ["tests/isolation/multiply"], **many)
    assert found["threads"] == 1
    assert "MULTIPLIED" in found["results"]["tests/isolation/multiply"]["output"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_sweep_spares_the_supervisor_that_has_the_same_user(drive: Drive) -> None:
    # Root in a container becomes another user before the supervisor is split off, and without
    # Landlock nothing but the sweeper's own care keeps a signal from it.
    off = frozenset({"seccomp", "limits"})
    result = drive("old-container-root", ["outlive/daemon"], off)["results"]["outlive/daemon"]
    assert (result["left"], result["gone"], result["next"]) == (0, 0, "AC")
