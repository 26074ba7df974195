"""Put what a worker did into words: verdict, reason, message, and the submission's own lines."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Sequence

import msgspec

from judge.faults import did_you_mean
from judge.problem import Problem
from judge.sandbox.session import Exchange, Stop
from judge.sandbox.wire import Job, Kind, Reply
from judge.signature import describe_shape, format_shape
from judge.source import Unusable
from judge.verdicts import Reason, Verdict

AVAILABLE = "NumPy and the standard library are available"

_SIGNALS = {
    signal.SIGSEGV: "segmentation fault, as after endless recursion in C or a wild pointer",
    signal.SIGABRT: "aborted",
    signal.SIGFPE: "arithmetic fault",
    signal.SIGBUS: "bus error",
    signal.SIGILL: "illegal instruction",
    signal.SIGSYS: "a system call that is not allowed",
}


class Finding(msgspec.Struct, frozen=True):
    """What happened, in the terms of a `CaseResult`; its fields are explained there."""

    verdict: Verdict
    reason: Reason | None = None
    message: str = ""
    exception: str | None = None
    line: int | None = None
    traceback: list[str] = []


def printable(text: str, limit: int) -> str:
    """Return text from a submission cut to a length, with nothing that a terminal would obey."""
    text = text[:limit].replace("\r\n", "\n").replace("\r", "\n")
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def printed(output: bytes) -> str:
    """Return what a submission printed as text that is safe to show."""
    return printable(output.decode("utf-8", "replace"), len(output))


class Wording:
    """Words for one submission: it knows the problem, the limits in force, and the source's lines.

    Args:
        problem: names, types and limits.
        source: the submission's bytes.
        scale: factor on every time limit.
        job: the function and its parameters; by default the problem's.
    """

    def __init__(
        self, problem: Problem, source: bytes, scale: float, job: Job | None = None
    ) -> None:
        self._problem = problem
        self._limits = problem.limits
        # Split as bytes: str.splitlines knows line ends that Python's parser does not count.
        self._lines = [line.decode("utf-8", "replace") for line in source.splitlines()]
        self._scale = scale
        self._function = job.function if job else problem.function.name
        own = tuple(parameter.name for parameter in problem.function.parameters)
        self._parameters = job.parameters if job else own

    def unusable(self, fault: Unusable) -> Finding:
        """A file whose bytes show that it can't be loaded."""
        return Finding(Verdict.CE, fault.reason, fault.message, line=fault.line)

    def load(self, exchange: Exchange, status: int | None) -> Finding | None:
        """Why a submission could not be loaded, or None when it could.

        Args:
            exchange: what came of loading it.
            status: how its process ended, if it did by itself.
        """
        reply = exchange.reply
        if reply is None:
            return self._stopped(exchange, status, loading=True)
        match reply.kind:
            case Kind.READY:
                return None
            case Kind.SYNTAX:
                return self._syntax(reply)
            case Kind.MISSING_MODULE:
                return self._missing_module(reply, Verdict.CE, Reason.MISSING_MODULE)
            case Kind.EXCEPTION:
                return self._exception(reply, Verdict.CE, Reason.IMPORT_EXCEPTION)
            case Kind.EXIT:
                return self._exit(reply, Verdict.CE, Reason.IMPORT_EXIT)
            case Kind.MEMORY:
                return self._memory(reply)
            case Kind.NO_FUNCTION:
                return self._no_function(reply)
            case _:
                return self._signature(reply)

    def call(
        self, exchange: Exchange, status: int | None, shape: tuple[int, ...]
    ) -> Finding | None:
        """What was wrong with a call, or None when a result of the right kind came back.

        Args:
            exchange: what came of the call.
            status: how the process ended, if it did by itself.
            shape: the shape that the result must have.
        """
        reply = exchange.reply
        if reply is None:
            return self._stopped(exchange, status, loading=False)
        match reply.kind:
            case Kind.VALUE:
                return None
            case Kind.WRONG_TYPE:
                return self._wrong_type(reply, shape)
            case Kind.WRONG_DTYPE:
                return self._wrong_dtype(reply)
            case Kind.WRONG_SHAPE:
                return self._wrong_shape(reply, shape)
            case Kind.MISSING_MODULE:
                return self._missing_module(reply, Verdict.RTE, Reason.EXCEPTION)
            case Kind.EXIT:
                return self._exit(reply, Verdict.RTE, Reason.EXIT)
            case Kind.MEMORY:
                return self._memory(reply)
            case _:
                return self._exception(reply, Verdict.RTE, Reason.EXCEPTION)

    def total_time(self) -> Finding:
        """All calls together took too long."""
        seconds = self._limits.total_time * self._scale
        return Finding(
            Verdict.TLE,
            Reason.TOTAL_TIME,
            f"all calls together took longer than {seconds:g} s, the limit for all of them",
        )

    # ------------------------------------------------------------------- loading

    def _syntax(self, reply: Reply) -> Finding:
        kind, message = _one_line(reply.field(0), 60), _one_line(reply.field(1))
        line = self._known(reply.lines[:1])
        where = f" in line {line[0]}" if line else ""
        return Finding(
            Verdict.CE,
            Reason.SYNTAX,
            f"syntax error{where}: {message}",
            exception=kind,
            line=line[0] if line else None,
            traceback=self._quote(line),
        )

    def _missing_module(self, reply: Reply, verdict: Verdict, reason: Reason) -> Finding:
        module = _one_line(reply.field(2), 80)
        unused, *raised = reply.lines or (0,)
        lines = self._known(raised)
        message = f'there is no module "{module}" here: {AVAILABLE}'
        if self._known([unused]):
            message += f"; nothing of this import is used, so remove line {unused}"
        return Finding(
            verdict,
            reason,
            message,
            exception="ModuleNotFoundError",
            line=lines[-1] if lines else None,
            traceback=self._quote(lines),
        )

    def _no_function(self, reply: Reply) -> Finding:
        kind, *defined = [_one_line(text, 120) for text in reply.text] or [""]
        if kind:
            message = f"{self._function} is not a function but {_article(kind)}"
            return Finding(Verdict.CE, Reason.NO_FUNCTION, message)
        places = dict(text.rpartition(":")[::2] for text in defined)
        near = _nearest(self._function, places)
        message = f"there is no function {self._function}"
        if near is None:
            listed = ", ".join(list(places)[:5])
            message += f"; found only {listed}" if listed else "; the file defines no function"
            return Finding(Verdict.CE, Reason.NO_FUNCTION, message)
        line = self._known([int(places[near]) if places[near].isdigit() else 0])
        where = f", line {line[0]}" if line else ""
        advice = "define it at the top level of the file" if "." in near else "rename it"
        return Finding(
            Verdict.CE,
            Reason.NO_FUNCTION,
            f"{message}: found {near}{where}; {advice}",
            line=line[0] if line else None,
            traceback=self._quote(line),
        )

    def _signature(self, reply: Reply) -> Finding:
        line = self._known(reply.lines[:1])
        has = _one_line(reply.field(0), 300)
        return Finding(
            Verdict.CE,
            Reason.SIGNATURE,
            f"{self._function}{has} can't be called with the {len(self._parameters)} arguments "
            f"({', '.join(self._parameters)}): {_one_line(reply.field(1))}",
            line=line[0] if line else None,
            traceback=self._quote(line),
        )

    # ------------------------------------------------------------------- results

    def _wrong_type(self, reply: Reply, shape: tuple[int, ...]) -> Finding:
        kind, detail = _one_line(reply.field(0), 80), _one_line(reply.field(1), 80)
        if kind == "NoneType":
            message = f"{self._function} returned None: it ends without a return statement"
            return Finding(Verdict.WA, Reason.TYPE, message)
        got = f"{_article(kind)} {detail}".rstrip()
        advice = _TYPE_ADVICE.get(kind, "")
        if kind.startswith("numpy.") and not advice:
            wanted = describe_shape(self._problem.function.result, shape)
            advice = f"; the result has shape {wanted}"
        return Finding(
            Verdict.WA, Reason.TYPE, f"expected exactly an np.ndarray, got {got}{advice}"
        )

    def _wrong_dtype(self, reply: Reply) -> Finding:
        wanted, got = self._problem.function.result.dtype, _one_line(reply.field(0), 60)
        advice = _DTYPE_ADVICE.get(got, "")
        return Finding(Verdict.WA, Reason.DTYPE, f"expected dtype {wanted}, got {got}{advice}")

    def _wrong_shape(self, reply: Reply, shape: tuple[int, ...]) -> Finding:
        wanted = describe_shape(self._problem.function.result, shape)
        got = format_shape(reply.shape)
        return Finding(Verdict.WA, Reason.SHAPE, f"expected shape {wanted}, got {got}")

    # ------------------------------------------------------------------- failures

    def _exception(self, reply: Reply, verdict: Verdict, reason: Reason) -> Finding:
        name, message = _one_line(reply.field(0), 80), _one_line(reply.field(1))
        lines = self._known(reply.lines)
        where = f" in line {lines[-1]}" if lines else ""
        when = " when the file was imported" if verdict is Verdict.CE else ""
        return Finding(
            verdict,
            reason,
            f"{name}{where}{when}" + (f": {message}" if message else ""),
            exception=name,
            line=lines[-1] if lines else None,
            traceback=self._quote(lines),
        )

    def _exit(self, reply: Reply, verdict: Verdict, reason: Reason) -> Finding:
        lines = self._known(reply.lines)
        code = _one_line(reply.field(0), 60)
        code = "0" if code in ("", "None") else code
        where = f" in line {lines[-1]}" if lines else ""
        message = (
            f"the file exits when it is imported{where}: remove that call, or put it under "
            'if __name__ == "__main__":'
            if verdict is Verdict.CE
            else f"the program was exited{where} (code {code}) instead of returning a result"
        )
        return Finding(
            verdict,
            reason,
            message,
            exception="SystemExit",
            line=lines[-1] if lines else None,
            traceback=self._quote(lines),
        )

    def _memory(self, reply: Reply | None = None) -> Finding:
        lines = self._known(reply.lines) if reply else []
        where = f" in line {lines[-1]}" if lines else ""
        return Finding(
            Verdict.MLE,
            Reason.MEMORY,
            f"needed more than {self._limits.memory} MiB of memory{where}",
            exception="MemoryError" if reply else None,
            line=lines[-1] if lines else None,
            traceback=self._quote(lines),
        )

    def _stopped(self, exchange: Exchange, status: int | None, *, loading: bool) -> Finding:
        match exchange.stop:
            case Stop.TIME:
                return self._time(loading=loading)
            case Stop.OUTPUT:
                limit = self._limits.output
                message = f"printed more than {limit} MiB, the limit for all calls together"
                return Finding(Verdict.OLE, Reason.OUTPUT, message)
            case Stop.PROTOCOL:
                message = f"the process wrote into the judge's connection: {exchange.detail}"
                return Finding(Verdict.RTE, Reason.PROTOCOL, message)
        return self._ended(status, loading=loading)

    def _time(self, *, loading: bool) -> Finding:
        limits = self._limits
        if loading:
            seconds = limits.import_time * self._scale
            message = f"importing the file took longer than {seconds:g} s, the limit"
            return Finding(Verdict.TLE, Reason.IMPORT_TIME, message)
        seconds = limits.time_limit * self._scale
        message = f"the call took longer than {seconds:g} s, the limit of one call"
        return Finding(Verdict.TLE, Reason.CALL_TIME, message)

    def _ended(self, status: int | None, *, loading: bool) -> Finding:
        when = "when the file was imported" if loading else "in the call"
        if status is None:
            message = f"the process closed its connection to the judge {when}"
            return Finding(Verdict.RTE, Reason.PROTOCOL, message)
        if os.WIFEXITED(status):
            code = os.WEXITSTATUS(status)
            return Finding(
                Verdict.CE if loading else Verdict.RTE,
                Reason.IMPORT_EXIT if loading else Reason.EXIT,
                f"the process ended {when} (exit code {code}), as os._exit does",
            )
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return self._time(loading=loading)
        if number == signal.SIGKILL:
            # Not by the judge, which would know: the kernel, for want of memory.
            return self._memory()
        name, meaning = _signal(number)
        return Finding(
            Verdict.CE if loading else Verdict.RTE,
            Reason.IMPORT_CRASH if loading else Reason.CRASH,
            f"the process crashed {when} ({name}{f': {meaning}' if meaning else ''})",
        )

    # ------------------------------------------------------------------- lines

    def _known(self, lines: Iterable[int]) -> list[int]:
        """Return those of the numbers that are lines of the file: a worker may send any."""
        return [line for line in lines if 1 <= line <= len(self._lines)]

    def _quote(self, lines: Sequence[int]) -> list[str]:
        return [f"line {n}: {printable(self._lines[n - 1].strip(), 200)}" for n in lines]


_TYPE_ADVICE = {
    "list": "; np.array(…) makes an array of it",
    "tuple": "; return the array alone",
    "numpy.matrix": "; np.asarray(…) makes a plain array of it",
    "numpy.ma.MaskedArray": "; return a plain array without a mask",
    "generator": "; the function has a yield in it",
    "coroutine": "; define the function without async",
    "function": "; it was not called",
    "float": "; np.array(…) makes an array of it",
    "int": "; np.array(…) makes an array of it",
}
_DTYPE_ADVICE = {
    "float32": "; do not convert, and make new arrays with dtype=np.float64",
    "float16": "; do not convert, and make new arrays with dtype=np.float64",
    "longdouble": "; compute in float64",
    "float128": "; compute in float64",
    "object": "; the array holds Python objects instead of numbers, as lists of unequal length do",
    "complex128": "; return the real part, if the imaginary part is zero",
}


def _nearest(name: str, defined: dict[str, str]) -> str | None:
    """Return the name in the file that was most likely meant."""
    for method in defined:
        if method.rpartition(".")[2] == name:
            return method
    plain = [other for other in defined if "." not in other]
    if did_you_mean(name, plain):
        return did_you_mean(name, plain).split('"')[1]
    return plain[0] if len(plain) == 1 else None


def _signal(number: int) -> tuple[str, str]:
    """Return a signal's name and meaning; real-time signals have numbers only (signal(7))."""
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"signal {number}", ""
    return known.name, _SIGNALS.get(known, "")


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


def _one_line(text: str, limit: int = 500) -> str:
    return " ".join(printable(text, limit).split())
