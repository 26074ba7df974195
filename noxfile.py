"""Sessions that need an environment of their own; `.ci/run` starts them.

nox                     all sessions
nox -s accepted         every accepted submission under NumPy 1.26 and the newest, two BLAS kernels
nox -s torch            the theory page's PyTorch module (installs PyTorch)
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["accepted", "torch"]
nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True

NUMPY = {"1.26": "numpy==1.26.4", "newest": "numpy>=2.4"}

TORCH = "torch==2.13.0"

KERNELS = ("Prescott", "Haswell")
"""OpenBLAS kernels (x86_64) that sum in different orders: SSE3 without FMA, and AVX2 with FMA."""


@nox.session
@nox.parametrize("version", list(NUMPY))
def accepted(session: nox.Session, version: str) -> None:
    """Judge every submission under submissions/accepted/, the reference too; all must be AC."""
    session.install(NUMPY[version], "click>=8.1.7", "msgspec>=0.19", "PyYAML>=6.0.2", "rich>=13.7")
    session.install("hatchling==1.33.0", "editables==0.6")
    session.install("--no-deps", "--no-build-isolation", "--editable", ".")
    session.run("python", "-c", "import numpy; print('NumPy', numpy.__version__)")
    for kernel in KERNELS:
        session.log(f"OpenBLAS kernel {kernel}")
        session.run(
            "python",
            "-m",
            "judge",
            "run",
            "reference/encoder_block.py",
            *_submissions(),
            "--format",
            "junit",
            "--output",
            f"{session.create_tmp()}/{kernel}.xml",
            "--time-scale",
            "3",
            env={"OPENBLAS_CORETYPE": kernel},
        )


@nox.session
def torch(session: nox.Session) -> None:
    """The PyTorch module of the theory page, against the proved answers and PyTorch's own layer."""
    session.install("--require-hashes", "-r", "requirements-test.lock")
    session.install(TORCH)
    session.run("python", "-m", "pytest", "-m", "torch", "tests/texts", env={"PYTHONPATH": "."})


def _submissions() -> list[str]:
    return sorted(str(path) for path in Path("submissions/accepted").glob("*.py"))
