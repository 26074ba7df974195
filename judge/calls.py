"""Call functions of any code in a jailed worker, for diagnosis and for drawing fresh cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from judge.prepared import sandbox_limits, value_of
from judge.problem import Problem
from judge.sandbox import wire
from judge.sandbox.process import Sandbox
from judge.sandbox.session import Exchange, Session, Stop
from judge.sandbox.wire import Kind
from judge.signature import format_shape
from judge.verdicts import Reason, Verdict
from judge.wording import Finding, Wording, printable, printed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CallOutcome(msgspec.Struct, frozen=True):
    """What one call gave: an array, or why there is none.

    Args:
        value: the array returned, float64, int64 or bool.
        failure: None when there is a value; else verdict, reason and message as a case has them.
        seconds: wall time of the call.
        output: the beginning of what was printed.
    """

    value: NDArray[np.generic] | None
    failure: Finding | None
    seconds: float
    output: str


def make_calls(
    problem: Problem,
    sandbox: Sandbox,
    code: tuple[bytes, str],
    arguments: Sequence[Sequence[Any]],
    *,
    seconds: float,
    total_seconds: float,
    max_bytes: int,
) -> list[CallOutcome]:
    """Run `Judge.call`, which explains the arguments; `code` is the source and the function."""
    source, function = code
    wanted = wire.Wanted(0, None, max_bytes)
    limits = sandbox_limits(problem, 1.0)._replace(cpu_seconds=int(total_seconds + seconds) + 30)
    outcomes: list[CallOutcome] = []
    session: Session | None = None
    left = total_seconds
    try:
        for values in arguments:
            job = wire.Job(source, function, tuple(f"argument{i}" for i in range(len(values))))
            words = Wording(problem, source, 1.0, job)
            if session is None:
                session = Session(sandbox, job, limits)
                loaded = session.load(problem.limits.import_time)
                failure = words.load(loaded, _status(session, loaded))
                if failure:
                    failed = CallOutcome(None, failure, 0.0, printed(loaded.output))
                    outcomes += [failed] * (len(arguments) - len(outcomes))
                    break
            request = wire.pack_call(values, wanted)
            exchange = session.call(request, wanted, max(min(seconds, left), 0.0))
            left -= exchange.seconds
            outcomes.append(_outcome(words, exchange, _status(session, exchange), max_bytes))
            failure = outcomes[-1].failure
            if exchange.stop is not None or (failure and failure.verdict is Verdict.MLE):
                session.end()
                session = None
    finally:
        if session is not None:
            session.end()
    return outcomes


def _outcome(words: Wording, exchange: Exchange, status: int | None, max_bytes: int) -> CallOutcome:
    kind = exchange.reply.kind if exchange.reply else None
    failure = words.call(exchange, status, ())
    if exchange.reply and kind is Kind.WRONG_SHAPE:
        shape = format_shape(exchange.reply.shape)
        message = f"the result of shape {shape} takes more than {max_bytes} bytes"
        failure = Finding(Verdict.WA, Reason.SHAPE, message)
    elif exchange.reply and kind is Kind.WRONG_DTYPE:
        dtype = printable(exchange.reply.field(0), 60)
        message = f"expected an array of float64, int64 or bool, got {dtype}"
        failure = Finding(Verdict.WA, Reason.DTYPE, message)
    value = None if failure else value_of(exchange).numpy()
    return CallOutcome(value, failure, exchange.seconds, printed(exchange.output))


def _status(session: Session, exchange: Exchange) -> int | None:
    own = exchange.stop is Stop.ENDED and session.ended_by_itself
    return session.end().status if own else None
