"""Sessions that need other versions than those of the lock: every accepted submission, everywhere.

nox                     all sessions
nox -s accepted         every accepted submission under NumPy 1.26 and the newest, two BLAS kernels
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["accepted"]
nox.options.reuse_existing_virtualenvs = True

NUMPY = {"1.26": "numpy==1.26.4", "newest": "numpy>=2.4"}

KERNELS = ("Prescott", "Haswell")
"""OpenBLAS kernels (x86_64) that sum in different orders: SSE3 without FMA, and AVX2 with FMA."""


@nox.session(python="3.11")
@nox.parametrize("version", list(NUMPY))
def accepted(session: nox.Session, version: str) -> None:
    """Judge every submission under submissions/accepted/, the reference too; all must be AC."""
    session.install(NUMPY[version], "click>=8.1.7", "msgspec>=0.19", "PyYAML>=6.0.2", "rich>=13.7")
    session.install("hatchling", "editables")
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


def _submissions() -> list[str]:
    return sorted(str(path) for path in Path("submissions/accepted").glob("*.py"))
