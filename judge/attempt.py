"""One submission's way through the cases: workers, deadlines, order, and what came of each case."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import msgspec

from judge.arrays import Array
from judge.compare import Comparison
from judge.prepared import PUBLISHED, Prepared, sandbox_limits, shuffled, value_of
from judge.problem import Problem
from judge.sandbox import wire
from judge.sandbox.process import Sandbox, SandboxError
from judge.sandbox.session import LARGEST_AHEAD, Exchange, Session, Stop
from judge.source import check_source
from judge.testcases import TestCase
from judge.verdicts import CaseResult, Reason, Verdict
from judge.wording import Finding, Wording, printed

TIME_OUTS = 3
"""After so many calls that took too long the remaining cases are not run."""


class Usage(msgspec.Struct):
    """What a submission's workers used: seconds of import and CPU, bytes of memory and output."""

    import_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    printed: int = 0


class _Rest(msgspec.Struct, frozen=True):
    """Why the cases that are left can't be run: what the first of them gets, and all others."""

    first: Finding
    others: Finding
    output: bytes = b""


class _Held(msgspec.Struct, frozen=True):
    """The first accepted case, whose result waits for its second run at the end."""

    prepared: Prepared
    result: CaseResult
    value: Array


class Attempt:
    """Judges one submission; `results` may be called once, the other fields are whole after it.

    Args:
        problem: names, types and limits.
        sandbox: where its workers run.
        source: the submission's bytes.
        cases: the cases, in the manifest's order.
        scale: factor on every time limit.
        fail_fast: whether to stop after the first case that is not accepted.
        ahead: whether the worker may go on with the next case while a result is judged; not for a
            caller who takes time between two results, since that would count.
    """

    def __init__(
        self,
        problem: Problem,
        sandbox: Sandbox,
        source: bytes,
        cases: Sequence[Prepared],
        *,
        scale: float = 1.0,
        fail_fast: bool = False,
        ahead: bool = True,
    ) -> None:
        self.problem = problem
        self.sandbox = sandbox
        self.source = source
        self.cases = cases
        self.scale = scale
        self.fail_fast = fail_fast
        self.ahead = ahead and not fail_fast
        self.usage = Usage()
        self.outputs: dict[str, Array] = {}
        self.notes: list[str] = []
        self.layers: dict[str, str] = {}
        self._words = Wording(self.problem, self.source, self.scale)
        self._limits = sandbox_limits(self.problem, self.scale)
        self._session: Session | None = None
        self._held: _Held | None = None
        self._rest: _Rest | None = None
        self._spent = 0.0
        self._time_outs = 0
        self._restarted = False
        self._changed = 0
        self._following: bytes | None = None

    def results(self) -> Generator[CaseResult, None, None]:
        """Yield each case's result as it comes, in an order that the submission can't know."""
        unusable = check_source(self.source, self.problem.limits.code * 1024)
        if unusable:
            finding = self._words.unusable(unusable)
            self._rest = _Rest(finding, finding)
        # The published cases first: nothing that is shown of them can tell what came with another.
        left = shuffled(self.cases)
        try:
            while left and self._rest is None:
                self._following = self._sent_ahead(left)
                result = self._next(left[0])
                if result is None:
                    continue
                del left[0]
                if self._held is None or self._held.result is not result:
                    yield result
                if self.fail_fast and result.verdict is not Verdict.AC:
                    self._not_run(Reason.STOPPED, "a case before it failed, and that was to end it")
            self._following = None
            if self._held is not None:
                yield self._held.result if self._rest else self._second_run(self._held)
        finally:
            self._end_session()
        yield from self._remaining({prepared.case.name for prepared in left})
        if self._changed:
            self.notes.append(self._changed_note())

    def _sent_ahead(self, left: Sequence[Prepared]) -> bytes | None:
        """Return the request that the worker may have before it has answered the one before.

        None of a published case, nor after one: what is shown of it could tell of the next. None
        of one that prints, so that it stands with the case that printed it: the first case tells.
        """
        first = len(left) == len(self.cases)
        if len(left) < 2 or first or not self.ahead:
            return None
        if self.usage.printed or (self._session and self._session.printed):
            return None
        if left[0].case.group == PUBLISHED or left[1].case.group == PUBLISHED:
            return None
        largest = max(len(left[0].request), len(left[1].request))
        return left[1].request if largest <= LARGEST_AHEAD else None

    def _remaining(self, names: set[str]) -> Iterator[CaseResult]:
        """Yield what the cases get that could not be run, in the manifest's order."""
        if self._rest is None:
            return
        finding, output = self._rest.first, self._rest.output
        for prepared in self.cases:
            if prepared.case.name in names:
                yield _result(prepared.case, finding, output=output)
                finding, output = self._rest.others, b""

    def _not_run(self, reason: Reason, why: str) -> None:
        if self._rest is None:
            finding = Finding(Verdict.NOT_RUN, reason, f"not run: {why}")
            self._rest = _Rest(finding, finding)

    # ------------------------------------------------------------------- workers

    def _next(self, prepared: Prepared) -> CaseResult | None:
        """Run one case; None when it has to be tried again, or when `_rest` says why it can't."""
        try:
            session = self._session or self._open()
            return self._judge(session, prepared) if session else None
        except SandboxError as error:
            self._recover(error)
            return None

    def _open(self) -> Session | None:
        """Start a worker with the submission, or set `_rest` to why it can't be loaded."""
        function = self.problem.function
        job = wire.Job(self.source, function.name, tuple(p.name for p in function.parameters))
        session = self._session = Session(self.sandbox, job, self._limits, self.usage.printed)
        loaded = session.load(self.problem.limits.import_time * self.scale)
        self.layers = session.layers
        self.usage.import_s = max(self.usage.import_s, loaded.seconds)
        finding = self._words.load(loaded, self._status(loaded))
        if finding is None:
            return session
        self._end_session()
        others = finding
        if finding.reason is Reason.IMPORT_TIME:
            # Nobody knows what the other cases would have given: the first one stands for it.
            message = "not run: importing the file took too long"
            others = Finding(Verdict.NOT_RUN, Reason.IMPORT_TIME, message)
        self._rest = _Rest(finding, others, loaded.output)
        return None

    def _status(self, exchange: Exchange) -> int | None:
        """Return the wait status of a process that ended by itself."""
        if exchange.stop is not Stop.ENDED or self._session is None:
            return None
        own = self._session.ended_by_itself
        return self._session.end().status if own else None

    def _end_session(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        self.usage.printed = session.printed
        try:
            ended = session.end()
        except SandboxError:
            # Every result it gave is known; the next worker starts another sandbox.
            return
        self.usage.cpu_s += ended.cpu_s
        self.usage.peak_bytes = max(self.usage.peak_bytes, ended.peak_bytes)

    def _recover(self, error: SandboxError) -> None:
        """Start the sandbox again after it failed, once; then the judge is at fault."""
        self._end_session()
        if not self._restarted:
            self._restarted = True
            try:
                self.sandbox.restart()
            except SandboxError as second:
                error = second
            else:
                return
        message = f"the judge failed, not the submission: {error}"
        finding = Finding(Verdict.JE, Reason.JUDGE, message)
        self._rest = _Rest(finding, finding)

    # ------------------------------------------------------------------- one case

    def _judge(self, session: Session, prepared: Prepared) -> CaseResult:
        exchange, finding = self._call(session, prepared)
        case = prepared.case
        if finding is not None:
            return _result(case, finding, time_s=exchange.seconds, output=exchange.output)
        value = value_of(exchange)
        self.outputs[case.name] = value
        comparison = prepared.answer.compare(value)
        result = CaseResult(
            name=case.name,
            group=case.group,
            verdict=Verdict.AC if comparison.accepted else Verdict.WA,
            reason=comparison.reason,
            message=_value_message(comparison),
            time_s=exchange.seconds,
            output=printed(exchange.output),
            error=comparison.difference,
        )
        if comparison.accepted and self._held is None and self._may_repeat(case):
            self._held = _Held(prepared, result, value)
        return result

    def _call(self, session: Session, prepared: Prepared) -> tuple[Exchange, Finding | None]:
        """Call the function once; set `_rest` where nothing may run after it."""
        limits = self.problem.limits
        one = limits.time_limit * self.scale
        total = max(limits.total_time * self.scale - self._spent, 0.0)
        exchange = session.call(
            prepared.request, prepared.wanted, min(one, total), ahead=self._following
        )
        self._spent += exchange.seconds
        finding = self._words.call(exchange, self._status(exchange), prepared.case.answer.shape)
        if exchange.stop is not None or (finding and finding.verdict is Verdict.MLE):
            # What filled its memory may still be there, and would count against the next case.
            self._end_session()
        if exchange.reply is not None:
            self._changed |= exchange.reply.changed
        if finding and finding.verdict is Verdict.OLE:
            self._not_run(Reason.OUTPUT, "too much was printed before it")
        if finding and finding.verdict is Verdict.TLE:
            self._time_outs += 1
            if total < one:
                self._not_run(Reason.TOTAL_TIME, "all calls together took too long")
                return exchange, self._words.total_time()
            if self._time_outs >= TIME_OUTS:
                self._not_run(Reason.TIME_OUTS, f"{TIME_OUTS} calls before it took too long")
        return exchange, finding

    def _may_repeat(self, case: TestCase) -> bool:
        """Repeat no published case after secret ones: what is shown of it could tell of them."""
        published = case.group == PUBLISHED
        return not published or all(p.case.group == PUBLISHED for p in self.cases)

    def _second_run(self, held: _Held) -> CaseResult:
        """Run the held case again: a function of its inputs gives the same twice."""
        session = self._session
        if session is None:
            return held.result
        try:
            exchange, finding = self._call(session, held.prepared)
        except SandboxError:
            return held.result
        case = held.prepared.case
        if finding is not None:
            message = f"when this case was run again at the end: {finding.message}"
            finding = msgspec.structs.replace(finding, message=message)
            return _result(case, finding, time_s=exchange.seconds, output=exchange.output)
        value = value_of(exchange)
        if held.prepared.answer.differs(held.value, value):
            # The one that is wrong is the one to show.
            self.outputs[case.name] = value
            return _result(case, _STATE, time_s=held.result.time_s, output=exchange.output)
        if value.data != held.value.data:
            self.notes.append(
                f"{case.name} gave slightly different results when it was run again, within the "
                "tolerance: the function keeps something between calls, or is random"
            )
        return held.result

    def _changed_note(self) -> str:
        parameters = self.problem.function.parameters
        changed = [p.name for i, p in enumerate(parameters) if self._changed >> min(i, 63) & 1]
        return (
            f"the function changed its arguments ({', '.join(changed)}); every case got its own, "
            "but whoever calls it would not expect that: work on copies"
        )


_STATE = Finding(
    Verdict.WA,
    Reason.STATE,
    "the same inputs gave another result when this case was run again at the end: the function "
    "keeps something between calls, or is random",
)


def _value_message(comparison: Comparison) -> str:
    worst = comparison.difference
    if comparison.accepted or worst is None:
        return ""
    place = f"element {worst.index}" if worst.index else "the result"
    if comparison.reason is Reason.NON_FINITE:
        return f"{place} is {worst.actual}, expected {worst.expected!r}"
    return (
        f"{worst.mismatched} of {worst.elements} elements are off; the worst, {place}: "
        f"expected {worst.expected!r}, got {worst.actual!r}"
    )


def _result(
    case: TestCase, finding: Finding, *, time_s: float = 0.0, output: bytes = b""
) -> CaseResult:
    return CaseResult(
        name=case.name,
        group=case.group,
        verdict=finding.verdict,
        reason=finding.reason,
        message=finding.message,
        exception=finding.exception,
        line=finding.line,
        traceback=finding.traceback,
        time_s=time_s,
        output=printed(output),
    )
