"""Call functions of any code in a jailed worker, for diagnosis and for drawing fresh cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from judge.attempt import sandbox_limits, value_of
from judge.problem import Problem
from judge.sandbox import wire
from judge.sandbox.process import Sandbox
from judge.sandbox.session import Exchange, Session, Stop
from judge.wording import Finding, Wording, printed


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
    words = Wording(problem, source, 1.0, function=function)
    limits = sandbox_limits(problem, 1.0)._replace(cpu_seconds=int(total_seconds + seconds) + 30)
    outcomes: list[CallOutcome] = []
    session: Session | None = None
    left = total_seconds
    try:
        for values in arguments:
            if session is None:
                names = tuple(f"argument{i}" for i in range(len(values)))
                session = Session(sandbox, wire.Job(source, function, names), limits)
                loaded = session.load(problem.limits.import_time)
                failure = words.load(loaded, _status(session, loaded))
                if failure:
                    outcomes += [CallOutcome(None, failure, 0.0, printed(loaded.output))] * (
                        len(arguments) - len(outcomes)
                    )
                    break
            exchange = session.call(
                wire.pack_call(values, wanted), wanted, max(min(seconds, left), 0.0)
            )
            left -= exchange.seconds
            failure = words.call(exchange, _status(session, exchange), ())
            value = None if failure else value_of(exchange)
            outcomes.append(CallOutcome(value, failure, exchange.seconds, printed(exchange.output)))
            if exchange.stop is not None:
                session.end()
                session = None
    finally:
        if session is not None:
            session.end()
    return outcomes


def _status(session: Session, exchange: Exchange) -> int | None:
    own = exchange.stop is Stop.ENDED and session.ended_by_itself
    return session.end().status if own else None
