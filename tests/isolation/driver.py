"""Judges attacks in a role, watches what they do outside, and prints what it saw as JSON.

Run by the tests as `python -m tests.isolation.driver ROLE` with a request on standard input:
{"off": [layers], "attacks": [names], "scale": 0.1}; a name is that of a file below hostile/, or of
one of this repository. It sets up what the attacks aim at.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.problem import Problem
from judge.report.audience import for_audience
from judge.runner import Judge
from judge.sandbox import sweep
from judge.testcases import TestCase
from judge.verdicts import Report, Verdict
from tests.isolation import roles
from tests.judge.processes import descendants

BUNDLE = Path(__file__).parent.parent.parent
HOSTILE = BUNDLE / "submissions" / "hostile"
PLACEHOLDER = "/tmp/judge-hostile"
IPC_KEY = 0x4A554447
FOLDERS = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", "/")


class Outside:
    """What an attack could change: files, processes, sockets, shared memory, this process."""

    def __init__(self, target: Path, cases: list[TestCase]) -> None:
        self.target = target
        self.signals = 0
        signal.signal(signal.SIGUSR1, self._count)
        answers = {
            hashlib.sha256(case.inputs[0].tobytes()).hexdigest(): case.expected.tolist()
            for case in cases
        }
        file = target / "answers.json"
        file.write_text(json.dumps(answers))
        file.chmod(0o600)
        solution = (BUNDLE / "reference" / "encoder_block.py").read_text()
        (target / "leaked_solution.py").write_text(solution)
        target.chmod(0o755)
        self.listeners = [self._listen(f"{target}/socket"), self._listen("\0" + str(target))]
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.listeners += [self.tcp, self.udp]
        for one in self.listeners:
            one.setblocking(False)
        (target / "socket").chmod(0o666)

    @staticmethod
    def _listen(address: str) -> socket.socket:
        one = socket.socket(socket.AF_UNIX)
        one.bind(address)
        one.listen()
        return one

    def _count(self, *_: object) -> None:
        self.signals += 1

    def state(self) -> dict[str, Any]:
        """Return everything that must not change, in a form that can be compared."""
        return {
            "files": sorted(self._files()),
            "signals": self.signals,
            "connections": self._arrivals(),
            "shared memory": self._ipc("shm"),
            "message queues": self._ipc("msg"),
            "core limit": resource.getrlimit(resource.RLIMIT_CORE),
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
        }

    def _files(self) -> Iterator[str]:
        for path in self.target.rglob("*"):
            yield str(path)
        for folder in FOLDERS:
            with contextlib.suppress(OSError):
                for name in (path.name for path in Path(folder).iterdir()):
                    if name.startswith("judge-hostile") or name in ("numpy.py", "core"):
                        yield f"{folder}/{name}"

    def _arrivals(self) -> int:
        count = 0
        for one in self.listeners:
            with contextlib.suppress(BlockingIOError):
                if one is self.udp:
                    one.recv(100)
                else:
                    one.accept()[0].close()
                count += 1
        return count

    @staticmethod
    def _ipc(kind: str) -> int:
        rows = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        return sum(int(row.split()[0]) == IPC_KEY for row in rows)

    def clean(self) -> None:
        """Take away what an attack left, so that the next one is seen by itself."""
        for name in self._files():
            path = Path(name)
            if path.name.startswith("judge-hostile") and path != self.target:
                with contextlib.suppress(OSError):
                    path.unlink()
        libc = ctypes.CDLL(None)
        for get, control in (("shmget", "shmctl"), ("msgget", "msgctl")):
            arguments = (IPC_KEY, 0, 0) if get == "shmget" else (IPC_KEY, 0)
            found = getattr(libc, get)(*arguments)
            if found >= 0:
                getattr(libc, control)(found, 0, None)


def sandbox_processes() -> set[int]:
    """Return every process under this one, which also gets those that lose their parents."""
    return set(descendants(os.getpid()))


def run(request: dict[str, Any], target: Path) -> dict[str, Any]:
    problem = Problem.load(BUNDLE)
    off = frozenset(request["off"])
    with Judge(problem, time_scale=request["scale"], layers_off=off) as judge:
        samples = [case for case in judge.cases if case.group == "sample"]
        secrets = [case for case in judge.cases if case.group != "sample"]
        cases = [samples[-1], *secrets[:2]]
        outside = Outside(target, judge.cases)
        isolation = judge.isolation
        right = BUNDLE / "reference" / "encoder_block.py"
        results = {}
        for name in request["attacks"]:
            results[name] = attack(judge, outside, cases, name, right)
        threads = max(map(thread_count, sandbox_processes()))
    return {
        "layers": isolation.layers,
        "proved": isolation.proved,
        "threads": threads,
        "results": results,
    }


def thread_count(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("Threads:")).split()[1])


def attack(
    judge: Judge, outside: Outside, cases: list[TestCase], name: str, right: Path
) -> dict[str, Any]:
    path = HOSTILE / f"{name}.py"
    source = (path if path.exists() else BUNDLE / f"{name}.py").read_text()
    source = source.replace(PLACEHOLDER, str(outside.target))
    source = source.replace("JUDGE = 0", f"JUDGE = {os.getpid()}")
    source = source.replace("PORT = 9", f"PORT = {outside.port}")
    before, processes = outside.state(), sandbox_processes()
    report = judge.run(source, cases=cases)
    after = outside.state()
    present = sandbox_processes()
    left, gone = present - processes, processes - present
    changed = {key: [before[key], after[key]] for key in before if before[key] != after[key]}
    outside.clean()
    learner = for_audience(report, "learner", lines=source.count("\n") + 1)
    secrets = [case for case in learner.cases if case.group != "sample"]
    return {
        "verdict": report.verdict,
        "reason": first_reason(report),
        "messages": [case.message for case in report.cases],
        "got": any("GOT" in case.output for case in report.cases),
        "output": report.cases[0].output[:500],
        "changed": changed,
        "left": len(left),
        "gone": len(gone),
        "learner_sees": [str(case) for case in secrets],
        "learner_sees_of_samples": [
            case.output for case in learner.cases if case.group == "sample"
        ],
        "inputs": {case.name: float(case.inputs[0].ravel()[0]) for case in cases},
        "next": judge.run(right, cases=cases[1:2]).verdict,
    }


def first_reason(report: Report) -> str | None:
    """Return the reason of the first case that was run and not accepted."""
    reasons = (c.reason for c in report.cases if c.verdict not in (Verdict.AC, Verdict.NOT_RUN))
    return next(reasons, None)


def main() -> None:
    role = sys.argv[1]
    request = json.load(sys.stdin)
    roles.play(role)
    # Whatever loses its parent becomes a child of this process, and is seen.
    sweep.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="judge-target-") as folder:
        print(json.dumps(run(request, Path(folder))))


if __name__ == "__main__":
    main()
