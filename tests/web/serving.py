"""A real server as a process of a test, and a client that keeps its own cookies."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

PATIENCE_S = 180
CHROMIUM = "/usr/bin/chromium"
RIGHT = (ROOT / "reference" / "encoder_block.py").read_text(encoding="utf-8")
WRONG = RIGHT.replace("/ np.sqrt(d_k)", "")
SLOW = "import time\n" + RIGHT.replace(
    "    attended = multi", "    time.sleep(0.2)\n    attended = multi"
)
HANGING = "def encoder_block(*arguments):\n    while True:\n        pass\n"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Server:
    """`judge serve` on a port of its own, which can be killed and started again."""

    def __init__(self, folder: Path, *arguments: str, problem: Path = ROOT) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.store = folder / "submissions.sqlite"
        self.log = folder / "log.jsonl"
        self._arguments = ("--problem", str(problem), *arguments)
        self.start()

    def start(self, *more: str, port: int = 0) -> None:
        """Start on a free port, or on this one, and wait until it answers."""
        self.port = port or free_port()
        command = [
            sys.executable, "-m", "judge", "serve", "--port", str(self.port),
            "--store", str(self.store), *self._arguments, *more,
        ]  # fmt: skip
        # NiceGUI behaves otherwise where it finds itself under pytest.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stderr=log, stdout=log, cwd=ROOT, env=environment
            )
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                if Client(self.port).get("/api/health")[0] == 200:
                    return
            except OSError:
                pass
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE_S)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.terminate()

    def pool_processes(self) -> list[int]:
        """Return the pool's processes: children that were spawned by multiprocessing."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = [int(pid) for pid in children.read_text().split()]
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            found += [int(pid) for pid in (thread / "children").read_text().split()]
        lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in set(found)}
        return [pid for pid, line in lines.items() if b"spawn_main" in line]


class Client:
    """One learner's browser, as far as HTTP goes."""

    def __init__(self, port: int, **headers: str) -> None:
        self.port = port
        self.headers = headers
        self.cookie = ""

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = {**self.headers, **headers}
        if self.cookie:
            sent["Cookie"] = self.cookie
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie" and value.startswith("judge_client"):
                self.cookie = value.partition(";")[0]
        kind = answer.getheader("content-type", "")
        return (
            answer.status,
            json.loads(data) if kind.startswith("application/json") else data,
            (dict(answer.getheaders())),
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("GET", path, **headers)

    def submit(self, source: str, **headers: str) -> Any:
        body = json.dumps({"source": source}).encode()
        return self.ask(
            "POST", "/api/submissions", body, **{"Content-Type": "application/json"}, **headers
        )

    def verdict(self, identity: str, *, every: float = 0.05) -> dict[str, Any]:
        """Wait until a submission is over, and return what the API tells of it."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            _, told, _ = self.get(f"/api/submissions/{identity}")
            if told["status"] in ("done", "cancelled"):
                return told
            assert time.monotonic() < deadline, told
            time.sleep(every)


def end_process(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
