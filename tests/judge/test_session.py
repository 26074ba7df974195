"""The judge's end of a worker's socket, against workers that lie, stall, flood and vanish."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.sandbox import control, wire
from judge.sandbox.process import Sandbox, Worker
from judge.sandbox.session import OUTPUT_KEPT, Limits, Session, Stop
from judge.sandbox.wire import Kind, Wanted

LIMITS = Limits(memory=1 << 28, output=1 << 20, cpu_seconds=10)
WANTED = Wanted.exactly("float64", (2, 3))
RIGHT = np.arange(6.0)
REQUEST = b"?"
REPLY = wire.pack_reply(Kind.VALUE, dtype=1, shape=(2, 3), nbytes=48) + RIGHT.tobytes()


class Scripted:
    """Stands in for a worker: a test writes what a hostile one would, into real descriptors."""

    def __init__(self) -> None:
        self.data, mine = socket.socketpair()
        output, self.printed = os.pipe()
        mine.setblocking(False)
        os.set_blocking(output, False)
        # A process that has ended and is not reaped: it may be killed at will.
        self.process = subprocess.Popen(["true"])
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        ended = control.pack_ended(control.Ended(0, 0.0, 0))
        self.worker = Worker(mine, output, os.pidfd_open(self.process.pid), lambda _: ended)

    def spawn(self, memory: int, cpu_seconds: int) -> Worker:
        return self.worker

    def check_layers(self, layers: dict[str, str]) -> None:
        pass

    def answers(self, *parts: bytes, closes: bool = False) -> threading.Thread:
        """Send these when a call has come, as a worker does."""

        def answer() -> None:
            self.data.recv(len(REQUEST))
            for part in parts:
                self.data.sendall(part)
            if closes:
                self.data.close()

        return in_background(answer)

    def close(self) -> None:
        self.data.close()
        if self.printed >= 0:
            os.close(self.printed)
        self.process.wait()


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    worker = Scripted()
    yield worker
    worker.close()


def session_with(worker: Scripted) -> Session:
    sandbox: Sandbox = worker  # type: ignore[assignment]
    return Session(sandbox, wire.Job(b"", "f", ()), LIMITS)


def in_background(task: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        try:
            task()
        except OSError:
            # The judge has hung up, which is what it should do.
            return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_a_right_reply_is_taken(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.answers(REPLY)
    exchange = session.call(REQUEST, WANTED, 10.0)
    assert exchange.reply is not None
    assert exchange.reply.payload == RIGHT.tobytes()
    session.end()


def test_a_request_that_was_sent_ahead_is_not_sent_again(scripted: Scripted) -> None:
    session = session_with(scripted)
    received = bytearray()

    def answer() -> None:
        while len(received) < 3:
            received.extend(scripted.data.recv(1))
            scripted.data.sendall(REPLY)

    thread = in_background(answer)
    for request, ahead in ((b"1", b"2"), (b"2", None), (b"3", None)):
        exchange = session.call(request, WANTED, 10.0, ahead=ahead)
        assert exchange.reply is not None
    thread.join()
    assert received == b"123"
    session.end()


def test_more_than_the_reply_to_one_sent_ahead_is_a_protocol_error(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.answers(REPLY + REPLY + b"\0")
    assert session.call(REQUEST, WANTED, 10.0, ahead=REQUEST).reply is not None
    assert session.call(REQUEST, WANTED, 10.0).stop is Stop.PROTOCOL
    session.end()


def test_silence_after_one_sent_ahead_ends_at_its_own_deadline(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.answers(REPLY)
    assert session.call(REQUEST, WANTED, 10.0, ahead=REQUEST).reply is not None
    exchange = session.call(REQUEST, WANTED, 0.05)
    assert exchange.stop is Stop.TIME
    assert exchange.seconds >= 0.05
    session.end()


def test_the_callers_own_time_between_two_calls_does_not_count(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.answers(REPLY, REPLY)
    session.call(REQUEST, WANTED, 10.0, ahead=REQUEST)
    time.sleep(0.2)
    exchange = session.call(REQUEST, WANTED, 0.1)
    assert exchange.reply is not None
    assert exchange.seconds < 0.1
    session.end()


def test_silence_ends_at_the_deadline(scripted: Scripted) -> None:
    session = session_with(scripted)
    exchange = session.call(REQUEST, WANTED, 0.05)
    assert exchange.stop is Stop.TIME
    assert exchange.seconds >= 0.05
    session.end()


def test_one_byte_after_the_other_ends_at_the_deadline(scripted: Scripted) -> None:
    session = session_with(scripted)
    wanted = Wanted.exactly("float64", (1 << 22,))
    size = 8 << 22

    def dribble() -> None:
        scripted.data.recv(len(REQUEST))
        scripted.data.sendall(wire.pack_reply(Kind.VALUE, dtype=1, shape=(1 << 22,), nbytes=size))
        while True:
            scripted.data.send(b"\0")

    thread = in_background(dribble)
    assert session.call(REQUEST, wanted, 0.1).stop is Stop.TIME
    session.end()
    thread.join()


def test_a_request_that_nobody_reads_ends_at_the_deadline(scripted: Scripted) -> None:
    session = session_with(scripted)
    assert session.call(bytes(16 << 20), WANTED, 0.05).stop is Stop.TIME
    session.end()


def test_more_than_a_reply_is_a_protocol_error_before_the_next_case(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.answers(REPLY + b"\0")
    exchange = session.call(REQUEST, WANTED, 10.0)
    assert exchange.reply is None
    assert exchange.stop is Stop.PROTOCOL
    assert "more was sent" in exchange.detail
    session.end()


def test_a_reply_before_the_call_is_a_protocol_error(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.data.sendall(REPLY)
    assert session.call(REQUEST, WANTED, 10.0).stop is Stop.PROTOCOL
    session.end()


def test_a_reply_cut_short_is_not_taken(scripted: Scripted) -> None:
    session = session_with(scripted)
    scripted.answers(REPLY[:-1], closes=True)
    exchange = session.call(REQUEST, WANTED, 10.0)
    assert exchange.stop is Stop.ENDED
    assert exchange.reply is None
    session.end()


def test_an_endless_reply_is_never_read(scripted: Scripted) -> None:
    session = session_with(scripted)

    def flood() -> None:
        scripted.data.recv(len(REQUEST))
        while True:
            scripted.data.sendall(bytes(1 << 16))

    thread = in_background(flood)
    assert session.call(REQUEST, WANTED, 10.0).stop is Stop.PROTOCOL
    session.end()
    thread.join()


def test_output_is_read_while_waiting_and_only_its_beginning_kept(scripted: Scripted) -> None:
    session = session_with(scripted)
    size = 10 * OUTPUT_KEPT + 1

    def answer() -> None:
        scripted.data.recv(len(REQUEST))
        # More than a pipe holds: this blocks until the judge reads it.
        os.write(scripted.printed, b"x" * (LIMITS.output - 1))
        scripted.data.sendall(REPLY)

    thread = in_background(answer)
    exchange = session.call(REQUEST, WANTED, 10.0)
    assert exchange.reply is not None
    assert exchange.output == b"x" * OUTPUT_KEPT
    assert session.printed == LIMITS.output - 1
    thread.join()
    os.write(scripted.printed, b"y" * size)
    exchange = session.call(REQUEST, WANTED, 10.0)
    assert exchange.stop is Stop.OUTPUT
    assert exchange.output == b"y" * OUTPUT_KEPT
    session.end()


def test_closing_the_output_does_not_keep_the_judge_busy(scripted: Scripted) -> None:
    session = session_with(scripted)
    os.close(scripted.printed)
    scripted.printed = -1
    exchange = session.call(REQUEST, WANTED, 0.05)
    assert exchange.stop is Stop.TIME
    session.end()


frames = st.lists(
    st.one_of(
        st.just(REPLY),
        st.binary(max_size=100),
        st.builds(lambda cut: REPLY[:cut], st.integers(0, len(REPLY))),
        st.builds(
            lambda at, byte: REPLY[:at] + bytes([byte]) + REPLY[at + 1 :],
            st.integers(0, len(REPLY) - 1),
            st.integers(0, 255),
        ),
    ),
    max_size=4,
).map(b"".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frames, st.booleans())
def test_whatever_is_sent_the_call_ends_and_only_a_whole_reply_counts(
    sent: bytes, closes: bool
) -> None:
    worker = Scripted()
    try:
        session = session_with(worker)
        thread = worker.answers(sent, closes=closes)
        exchange = session.call(REQUEST, WANTED, 0.02)
        thread.join()
        assert (exchange.reply is None) == (exchange.stop is not None)
        if exchange.reply is not None and exchange.reply.kind is Kind.VALUE:
            assert exchange.reply.shape == (2, 3)
            assert exchange.reply.payload is not None
            assert len(exchange.reply.payload) == 48
            assert exchange.reply.payload == sent[-48:]
        session.end()
    finally:
        worker.close()
