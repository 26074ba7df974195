"""A Dask cluster as the executor: workers get the bundle once, and keep their zygotes.

Whoever can reach a scheduler can run code on its workers (docs/scaling.md says what follows).
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import zipfile
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.batch.drive import Work
from judge.batch.jobs import Job, Setting, judge_job
from judge.faults import BundleError, Fault

if TYPE_CHECKING:
    from distributed import Client

_PARTS = ("problem.yaml", "testcases", "submissions/mistakes.yaml", "reference")
_FOLDER = "encoder-block-judge-bundles"
_CONNECT_SECONDS = 20


@dataclass(frozen=True)
class Cluster:
    """A connection to a scheduler.

    Args:
        client: the connection.
        threads: how many submissions its workers can judge at once, when it was opened.
        pack: digest of the packed bundle, which names its folder on the workers.
    """

    client: Client
    threads: int
    pack: str

    def executor(self) -> Executor:
        """Return the cluster as a `concurrent.futures.Executor`."""
        executor: Executor = self.client.get_executor(pure=False, retries=0)
        return executor

    @property
    def work(self) -> Work:
        """What judges a job on whichever worker it comes to."""
        return functools.partial(judge_on_worker, self.pack)

    def close(self) -> None:
        """Leave the cluster; its workers go on."""
        self.client.close()


def connect(
    address: str, folder: Path, *, ca: Path | None, cert: Path | None, key: Path | None
) -> Cluster:
    """Connect to a scheduler and give every worker, now and later, the bundle.

    Args:
        address: tcp://host:port or tls://host:port.
        folder: the bundle.
        ca: for tls, the certificate authority that both sides trust.
        cert: for tls, this client's certificate.
        key: for tls, its key.

    Raises:
        BundleError: the scheduler can't be reached, or its workers lack this judge.
    """
    from distributed import Client
    from distributed.security import Security

    security: Security | None = None
    if address.startswith("tls://"):
        if ca is None:
            message = "tls needs the authority that both sides trust: --tls-ca, and mostly "
            raise BundleError([Fault(address, message + "--tls-cert and --tls-key")])
        security = Security(
            tls_ca_file=str(ca),
            tls_client_cert=str(cert) if cert else None,
            tls_client_key=str(key) if key else None,
            require_encryption=True,
        )
    try:
        client = Client(address, security=security, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        fault = Fault(address, f"the scheduler can't be reached: {error}")
        raise BundleError([fault]) from None
    data = pack_bundle(folder)
    pack = hashlib.sha256(data).hexdigest()
    try:
        client.register_plugin(_plugin(pack, data))
    except Exception as error:
        client.close()
        fault = Fault(address, f"a worker can't take the bundle: {error}")
        raise BundleError([fault]) from error
    threads = sum(client.nthreads().values())
    return Cluster(client, max(threads, 1), pack)


def pack_bundle(folder: Path) -> bytes:
    """Return what judging needs of a bundle as a zip, the same bytes for the same content."""
    files = []
    for part in _PARTS:
        path = folder / part
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [file for file in inside if file.is_file() and "__pycache__" not in file.parts]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            archive.writestr(info, file.read_bytes())
    return buffer.getvalue()


def unpack_bundle(data: bytes, target: Path) -> None:
    """Unpack a bundle into a folder that its owner alone may read: it holds the answers."""
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(target)


def judge_on_worker(pack: str, setting: Setting, job: Job) -> bytes:
    """Judge a job with the bundle that this worker was given."""
    from distributed import get_worker

    folder = Path(get_worker().local_directory) / _FOLDER / pack
    return judge_job(dataclasses.replace(setting, folder=folder), job)


def _plugin(pack: str, data: bytes) -> Any:
    """Return a plugin that unpacks the bundle on every worker, those that join later included."""
    from distributed import WorkerPlugin

    class BundlePlugin(WorkerPlugin):  # type: ignore[misc, unused-ignore]
        """Holds the bundle on a worker, in its own folder, which it removes when it ends."""

        name = f"judge-bundle-{pack}"

        def setup(self, worker: Any) -> None:
            unpack_bundle(data, Path(worker.local_directory) / _FOLDER / pack)

    return BundlePlugin()
