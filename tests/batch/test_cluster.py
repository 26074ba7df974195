"""Batch judging on a real Dask scheduler with worker processes, over TCP and TLS."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judge.batch.cluster import pack_bundle, unpack_bundle
from judge.batch.results import read_results
from judge.cli import _run
from judge.problem import Problem, bundle_digest
from tests.conftest import ROOT

pytestmark = pytest.mark.cluster

RIGHT = (ROOT / "reference" / "encoder_block.py").read_text(encoding="utf-8")
PATIENCE_S = 120


class Cluster:
    """A scheduler and its workers, as processes of this test."""

    def __init__(self, folder: Path, scheme: str = "tcp", *tls: str) -> None:
        self._folder, self._tls = folder, tls
        self._file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "2"}
        self._scheduler = self._start(
            "dask_scheduler", "--protocol", scheme, "--host", "127.0.0.1", "--port", "0",
            "--no-dashboard", "--scheduler-file", str(self._file),
        )  # fmt: skip
        self.address = wait_for(self._read_address)

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{what}-{len(self.workers)}.log").open("wb")
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{what}", *arguments, *self._tls],
                env=self._environment,
                stdout=log,
                stderr=log,
            )

    def _read_address(self) -> str | None:
        try:
            return json.loads(self._file.read_text())["address"]
        except (OSError, ValueError):
            return None

    def add_worker(self) -> subprocess.Popen[bytes]:
        worker = self._start(
            "dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
            "--local-directory", str(self._folder / f"worker-{len(self.workers)}"),
        )  # fmt: skip
        self.workers.append(worker)
        return worker

    def stop(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.terminate()
        for process in (*self.workers, self._scheduler):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(read):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = read()
        if found is not None:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


@pytest.fixture
def cluster(tmp_path):
    started = []

    def start(*arguments: str) -> Cluster:
        folder = tmp_path / "cluster"
        folder.mkdir()
        started.append(Cluster(folder, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture
def handed_in(tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for number in range(30):
        source = RIGHT if number % 3 else RIGHT.replace("/ np.sqrt(d_k)", "")
        (folder / f"s{number:02}.py").write_text(f"# {number}\n{source}")
    return folder


def verdicts(path: Path) -> dict[str, str]:
    return {result.id: str(result.report.verdict) for result in read_results(path)}


def test_a_worker_killed_in_the_middle_loses_nothing(cluster, handed_in, tmp_path):
    running = cluster()
    first, _ = running.add_worker(), running.add_worker()
    output = tmp_path / "out.jsonl"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "judge", "batch", str(handed_in), "-o", str(output),
            "--problem", str(ROOT), "--scheduler", running.address,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip

    def some() -> bool | None:
        return True if output.exists() and output.read_bytes().count(b"\n") >= 3 else None

    wait_for(some)
    first.send_signal(signal.SIGKILL)
    printed, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors.decode()
    assert b"30 submissions: 20 AC, 10 WA" in printed
    assert verdicts(output) == {
        f"s{number:02}": "AC" if number % 3 else "WA" for number in range(30)
    }


def test_a_submission_that_kills_workers_is_given_up_after_the_allowed_failures(
    cluster, handed_in, tmp_path, problem
):
    from judge.batch.cluster import connect
    from judge.batch.collect import collect
    from judge.batch.drive import Drive
    from judge.batch.jobs import Setting

    running = cluster()
    for _ in range(5):
        running.add_worker()
    for path in sorted(handed_in.iterdir())[4:]:
        path.unlink()
    (handed_in / "s01.py").write_text("# poison\n" + RIGHT)
    joined = connect(running.address, problem.folder, ca=None, cert=None, key=None)
    try:
        setting = Setting(problem.folder, bundle_digest(problem.folder), weak=True)
        work = joined.work

        def deadly(setting, job):
            if b"poison" in job.source:
                os.kill(os.getpid(), signal.SIGKILL)
            return work(setting, job)

        drive = Drive(problem, setting, joined.executor, 1, deadly)
        judged = {f.id: j.report for f, j in drive.judge(collect([handed_in]).submissions)}
    finally:
        joined.close()
    found = {name: str(report.verdict) for name, report in judged.items()}
    assert found == {"s00": "WA", "s01": "JE", "s02": "AC", "s03": "WA"}
    assert "KilledWorker" in judged["s01"].cases[0].message


def certificates(folder: Path) -> tuple[Path, Path, Path]:
    """Make an authority and one certificate that both sides use (openssl-req(1ssl))."""
    ca_key, ca, key, request, cert = (
        folder / name for name in ("ca.key", "ca.pem", "own.key", "own.csr", "own.pem")
    )

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    new = ("req", "-newkey", "rsa:2048", "-nodes")
    openssl(
        *new,
        "-x509",
        "-days",
        "2",
        "-subj",
        "/CN=authority",
        "-keyout",
        f"{ca_key}",
        "-out",
        f"{ca}",
    )
    openssl(*new, "-subj", "/CN=localhost", "-keyout", f"{key}", "-out", f"{request}")
    openssl(
        "x509", "-req", "-days", "2", "-in", f"{request}", "-CA", f"{ca}", "-CAkey", f"{ca_key}",
        "-CAcreateserial", "-out", f"{cert}",
    )  # fmt: skip
    return ca, cert, key


def test_the_same_over_tls_and_not_without_a_certificate(cluster, handed_in, tmp_path, capsys):
    ca, cert, key = certificates(tmp_path)
    tls = ("--tls-ca-file", f"{ca}", "--tls-cert", f"{cert}", "--tls-key", f"{key}")
    running = cluster("tls", *tls)
    assert running.address.startswith("tls://")
    running.add_worker()
    for path in sorted(handed_in.iterdir())[2:]:
        path.unlink()
    arguments = [
        "batch", str(handed_in), "-o", str(tmp_path / "o.jsonl"), "--problem", str(ROOT),
        "--scheduler", running.address,
    ]  # fmt: skip
    own = ["--tls-ca", str(ca), "--tls-cert", str(cert), "--tls-key", str(key)]
    assert _run([*arguments, *own]) == 0
    assert verdicts(tmp_path / "o.jsonl") == {"s00": "WA", "s01": "AC"}
    assert _run([*arguments, "--force"]) == 2
    assert "error: tls://" in capsys.readouterr().err


def test_a_scheduler_that_is_not_there_is_named(tmp_path, handed_in, capsys, monkeypatch):
    monkeypatch.setattr("judge.batch.cluster._CONNECT_SECONDS", 1)
    code = _run(
        [
            "batch",
            str(handed_in),
            "-o",
            str(tmp_path / "o.jsonl"),
            "--scheduler",
            "tcp://127.0.0.1:9",
        ]
    )
    assert code == 2
    assert "the scheduler can't be reached" in capsys.readouterr().err


def test_a_packed_bundle_is_the_same_bundle_elsewhere(problem, tmp_path):
    data = pack_bundle(problem.folder)
    assert data == pack_bundle(problem.folder)
    unpack_bundle(data, tmp_path / "bundle")
    assert (tmp_path / "bundle").stat().st_mode & 0o077 == 0
    assert Problem.load(tmp_path / "bundle") == problem
    assert bundle_digest(tmp_path / "bundle") == bundle_digest(problem.folder)
