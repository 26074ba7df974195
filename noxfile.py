"""Test sessions that need an environment of their own; `make` and `.ci/run` start them."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"

TORCH = "torch==2.13.0"


@nox.session
def torch(session: nox.Session) -> None:
    """The PyTorch module of the theory page, against the proved answers and PyTorch's own layer."""
    session.install("--require-hashes", "-r", "requirements-test.lock")
    session.install(TORCH)
    session.run("python", "-m", "pytest", "-m", "torch", "tests/texts", env={"PYTHONPATH": "."})
