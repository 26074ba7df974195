"""What holds here, proved by trying it from inside a worker rather than by return codes.

A property counts as proved only when every probe of it was tried and refused: a probe that could
not be tried proves nothing.
"""

from __future__ import annotations

import contextlib
import errno
import marshal
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from judge.sandbox import probes, wire
from judge.sandbox.process import Sandbox, SandboxError
from judge.sandbox.session import Limits, Session
from judge.verdicts import Isolation

ANSWERS_UNREADABLE = "answers-unreadable"
NO_NETWORK = "no-network"
NO_SURVIVORS = "no-survivors"
JUDGE_UNREACHABLE = "judge-unreachable"

PROPERTIES = (ANSWERS_UNREADABLE, NO_NETWORK, NO_SURVIVORS, JUDGE_UNREACHABLE)

_MEANINGS = {
    ANSWERS_UNREADABLE: "a submission can't read the expected outputs",
    NO_NETWORK: "a submission can't reach any network, nor a socket of this machine",
    NO_SURVIVORS: "nothing that a submission starts outlives it",
    JUDGE_UNREACHABLE: "a submission can't signal, trace or read the judge",
}

PROBES = (
    (ANSWERS_UNREADABLE, "opened a canary file of the judge"),
    (ANSWERS_UNREADABLE, "opened an answer file"),
    (NO_NETWORK, "connected to an abstract Unix socket"),
    (NO_NETWORK, "connected to a Unix socket by its path"),
    (NO_NETWORK, "connected by TCP"),
    (NO_NETWORK, "sent a datagram by UDP"),
    (NO_SURVIVORS, "left a process behind"),
    (JUDGE_UNREACHABLE, "signalled the judge"),
    (JUDGE_UNREACHABLE, "signalled the zygote"),
    (JUDGE_UNREACHABLE, "read the judge's limits, and could set them"),
    (JUDGE_UNREACHABLE, "opened a private file of the judge or the zygote in /proc"),
    (JUDGE_UNREACHABLE, "traced the judge"),
    (JUDGE_UNREACHABLE, "traced the zygote"),
    (JUDGE_UNREACHABLE, "read the judge's memory"),
)
"""Property and what a successful probe did, in the order of `probes.probe`'s results."""

_LIMITS = Limits(memory=256 << 20, output=1 << 16, cpu_seconds=10)
_SECONDS = 10.0
_WANTED = wire.Wanted.exactly("int64", (len(PROBES),))
_SURVIVOR_PROBE = 6
_LONGEST_PARENT = 50
"""A socket's path has room for 107 bytes; unix(7)."""


def meaning(name: str) -> str:
    """Return a property in plain words."""
    return _MEANINGS[name]


class Proof(NamedTuple):
    """What the self-test found.

    Args:
        isolation: the properties proved, and the state of each layer.
        breaches: for each property that is not proved, what got through, or why it is unknown.
    """

    isolation: Isolation
    breaches: dict[str, list[str]]

    @property
    def complete(self) -> bool:
        """Whether all four properties were proved."""
        return not self.breaches


def missing_properties(isolation: Isolation) -> list[str]:
    """Return the properties that were not proved, in their order."""
    return [name for name in PROPERTIES if name not in isolation.proved]


def prove(sandbox: Sandbox, answers: Sequence[Path] = ()) -> Proof:
    """Try the four properties in a worker of this sandbox, which then accepts no other layers.

    Args:
        sandbox: whose zygote forks the worker.
        answers: files and folders that hold answers; the judge can read them.

    Raises:
        SandboxError: no worker could be started, or there is no room for a canary and sockets.
    """
    try:
        with _targets() as targets:
            # The targets are made while it boots.
            boot = sandbox.boot
            found, layers = _run(sandbox, targets, answers)
    except OSError as error:
        raise SandboxError(f"the self-test can't be set up: {error}") from None
    breaches = _breaches(found)
    proved = [name for name in PROPERTIES if name not in breaches]
    states = {**boot.layers, **layers}
    if not isinstance(found, str):
        sandbox.expect_layers(states)
    return Proof(Isolation(proved, states), breaches)


def _breaches(found: Sequence[int] | str) -> dict[str, list[str]]:
    """Return what is wrong, by property; `found` is the probes' results or why there are none."""
    if isinstance(found, str):
        return {name: [found] for name in PROPERTIES}
    breaches: dict[str, list[str]] = {}
    for (name, deed), result in zip(PROBES, found, strict=True):
        if result == probes.THROUGH:
            breaches.setdefault(name, []).append(f"a worker {deed}")
        elif result == probes.UNKNOWN:
            breaches.setdefault(name, []).append(f'could not try whether a worker "{deed}"')
    return breaches


def _run(
    sandbox: Sandbox, targets: _Targets, answers: Sequence[Path]
) -> tuple[Sequence[int] | str, dict[str, str]]:
    """Run the probes; return their results, or in words why there are none, and the layers."""
    source = _source()
    parameters = ("canary", "answers", "abstract", "path", "tcp", "udp", "judge")
    session = Session(sandbox, wire.Job(source, "probe", parameters), _LIMITS)
    try:
        exchange = session.load(_SECONDS)
        if exchange.reply is not None and exchange.reply.kind is wire.Kind.READY:
            names = "\n".join(map(str, answers))
            arguments = [targets.canary, names, *targets.sockets, os.getpid()]
            exchange = session.call(wire.pack_call(arguments, _WANTED), _WANTED, _SECONDS)
    finally:
        outlived = _end(session)
    reply = exchange.reply
    if reply is None or reply.kind is not wire.Kind.VALUE or reply.payload is None:
        said = exchange.output.decode("utf-8", "replace").strip()[-200:]
        why = reply.kind.name if reply else exchange.stop.name if exchange.stop else "nothing"
        return f"the self-test's worker did not finish: {why} {said}".strip(), session.layers
    results = list(struct.unpack(f"={len(PROBES)}q", reply.payload))
    if results[_SURVIVOR_PROBE] == probes.THROUGH and not outlived:
        results[_SURVIVOR_PROBE] = errno.ESRCH  # it was there, and the sweep got it
    return results, session.layers


def _source() -> bytes:
    """Return the probes as a submission; compiled, since importing them here compiled them."""
    get_code = getattr(probes.__loader__, "get_code", None)
    if get_code is None:
        return Path(probes.__file__).read_bytes()
    return b"import marshal\nexec(marshal.loads(%r))\n" % marshal.dumps(get_code(probes.__name__))


def _end(session: Session) -> bool:
    """End the worker; tell whether anything that it started is still there."""
    try:
        session.end()
    except SandboxError:
        return True
    return session.outlived


# ------------------------------------------------------------------------------- the targets


_Address = str | tuple[str, int]


class _Targets(NamedTuple):
    """What the probes aim at; the judge's, made for this self-test and removed after it.

    Args:
        canary: path of a file that only the judge's user may read.
        sockets: abstract name, path, TCP port and UDP port; empty or 0 where there is none.
    """

    canary: str
    sockets: tuple[str, str, int, int]


@contextlib.contextmanager
def _targets() -> Iterator[_Targets]:
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_private_folder())
        canary = folder / "canary"
        stack.callback(canary.unlink, missing_ok=True)
        canary.touch(mode=0o600)
        canary.write_bytes(os.urandom(16))
        abstract, path = os.urandom(16).hex(), folder / "socket"

        def listen(family: int, address: _Address, kind: int = socket.SOCK_STREAM) -> int:
            one = stack.enter_context(socket.socket(family, kind))
            one.bind(address)
            if kind == socket.SOCK_STREAM:
                one.listen(1)
            return int(one.getsockname()[1]) if family == socket.AF_INET else 0

        def port(kind: int) -> int:
            # A machine without even a loopback interface has no network to reach.
            with contextlib.suppress(OSError):
                return listen(socket.AF_INET, ("127.0.0.1", 0), kind)
            return 0

        try:
            listen(socket.AF_UNIX, "\0" + abstract)
        except OSError:
            abstract = ""  # only Linux has such sockets
        stack.callback(path.unlink, missing_ok=True)
        listen(socket.AF_UNIX, str(path))
        ports = port(socket.SOCK_STREAM), port(socket.SOCK_DGRAM)
        yield _Targets(str(canary), (abstract, str(path), *ports))


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """Make a temporary folder; the module tempfile would take longer to import than all of this."""
    parent = os.environ.get("TMPDIR", "")
    if not 0 < len(parent) <= _LONGEST_PARENT:
        parent = "/tmp"  # noqa: S108 (a name that nobody can guess, made with mode 0700)
    folder = Path(parent) / f"judge-self-test-{os.urandom(8).hex()}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        folder.rmdir()
