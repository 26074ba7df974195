"""Cases as workers are asked for them, limits as the sandbox takes them, and replies as arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import msgspec

from judge.arrays import Array
from judge.compare import Answer
from judge.problem import Problem, Tolerance
from judge.sandbox import wire
from judge.sandbox.session import Exchange, Limits
from judge.testcases import TestCase

PUBLISHED = "sample"
"""The group whose inputs and answers everybody may see, and of which reports show everything."""

_SPARE_CPU_SECONDS = 5


class Prepared(msgspec.Struct, frozen=True):
    """A case with the frame that asks a worker for it, and its answer ready for comparing."""

    case: TestCase
    request: bytes
    wanted: wire.Wanted
    answer: Answer

    @staticmethod
    def of(case: TestCase, tolerance: Tolerance) -> Prepared:
        """Pack a case's inputs once for all submissions."""
        wanted = wire.Wanted.exactly(case.answer.dtype, case.answer.shape)
        request = wire.pack_call(case.arguments, wanted)
        return Prepared(case, request, wanted, Answer(case.answer, tolerance))


def shuffled(cases: Sequence[Prepared]) -> list[Prepared]:
    """Return the cases in random order, the published ones before all others."""
    noise = os.urandom(8 * len(cases))
    keys = [
        (prepared.case.group != PUBLISHED, noise[8 * place : 8 * place + 8], place)
        for place, prepared in enumerate(cases)
    ]
    return [cases[place] for _, _, place in sorted(keys)]


def sandbox_limits(problem: Problem, scale: float) -> Limits:
    """Return what a bundle's limits mean for one worker."""
    limits = problem.limits
    seconds = (limits.import_time + limits.total_time) * scale
    return Limits(
        memory=limits.memory << 20,
        output=limits.output << 20,
        cpu_seconds=math.ceil(seconds) + _SPARE_CPU_SECONDS,
    )


def value_of(exchange: Exchange) -> Array:
    """Return the array of a reply that has one."""
    reply = exchange.reply
    if reply is None or reply.payload is None:
        raise ValueError("the reply has no elements")
    return Array(wire.DTYPE_NAMES[reply.dtype], reply.shape, bytes(reply.payload))
