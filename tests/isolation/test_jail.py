"""What works inside the jail: NumPy with one thread, and the modules that solutions use."""

from __future__ import annotations

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
