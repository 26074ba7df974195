"""A worker: loads one submission, calls its function for each frame, tells what came back.

It runs beside the submission, so nothing here protects the judge; it only has to describe results
exactly. What it uses afterwards is bound before the submission is imported: its own builtins, and
NumPy's C types by their identity, so that a submission that patches `np` or `builtins`, by mistake
or not, does not change what is told of it.
"""

from __future__ import annotations

import ast
import gc
import inspect
import io
import linecache
import os
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from judge.sandbox import wire
from judge.sandbox.wire import Kind

# Functions look their builtins up here from now on, not in the module that a submission can patch.
globals()["__builtins__"] = wire.PRIVATE_BUILTINS

_read, _read_into, _write, _exit = os.read, os.readv, os.write, os._exit
_ndarray, _from_buffer, _float64 = np.ndarray, np.frombuffer, np.dtype("float64")
_join = b"".join
_to_bytes, _generic_bytes = np.ndarray.tobytes, np.generic.tobytes
_dtype_of, _shape_of = np.ndarray.dtype.__get__, np.ndarray.shape.__get__
_CODES = {np.dtype(name): code for name, code in wire.DTYPES.items()}
_NUMPY = {code: np.dtype(name) for name, code in wire.DTYPES.items()}
_SCALARS = {np.float64: 1, np.int64: 2, np.bool_: 3}
_signature = inspect.signature
_READ_AHEAD = 1 << 16
_unread = bytearray()
_AST_LIMIT = 1 << 18
_FRAMES_KEPT = wire.MAX_LINES // 2

_Flush = Callable[[], object]


def serve(layers: dict[str, str]) -> NoReturn:
    """Load the submission that the judge sends, then answer calls until the judge is gone.

    Args:
        layers: state of each layer of this worker, for the judge to know.
    """
    gc.enable()
    ballast = [_ballast()]
    try:
        _send(wire.pack_reply(Kind.LAYERS, text=[f"{k}={v}" for k, v in sorted(layers.items())]))
        job = wire.read_job(_receive)
        flush = _streams()
        function, reply = _load(job, ballast)
        flush()
        _send(reply)
        if function is not None:
            _answer_calls(function, flush, ballast)
    except (EOFError, OSError):
        pass
    except MemoryError:
        # The submission kept so much from earlier calls that the next inputs found no room.
        ballast.clear()
        _send(wire.pack_reply(Kind.MEMORY))
    _exit(0)


def _ballast() -> bytes:
    """Return address space to give back when there is none left, so that this can be told.

    Bytes of zeros come from calloc, which touches no page of them.
    """
    return bytes(1 << 20)


def _receive(count: int) -> bytes | bytearray:
    """Return the next bytes; a small call comes whole with one read."""
    if count > _READ_AHEAD:
        return _receive_large(count)
    while len(_unread) < count:
        data = _read(wire.WORKER_SOCKET, _READ_AHEAD)
        if not data:
            raise EOFError
        _unread.extend(data)
    found = bytes(_unread[:count])
    del _unread[:count]
    return found


def _receive_large(count: int) -> bytearray:
    buffer = bytearray(count)
    have = len(_unread)
    buffer[:have] = _unread
    _unread.clear()
    view = memoryview(buffer)[have:]
    while view:
        got = _read_into(wire.WORKER_SOCKET, [view])
        if not got:
            raise EOFError
        view = view[got:]
    return buffer


def _send(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[_write(wire.WORKER_SOCKET, view) :]


def _streams() -> _Flush:
    """Return what flushes the streams as they are now, whatever they are replaced with later."""
    out, err = sys.stdout.flush, sys.stderr.flush

    def flush() -> None:
        for stream in (out, err):
            # contextlib.suppress would look up builtins that a submission may have patched.
            try:  # noqa: SIM105
                stream()
            except (OSError, ValueError):
                pass

    return flush


# ------------------------------------------------------------------------------- loading


def _load(job: wire.Job, ballast: list[bytes]) -> tuple[Callable[..., Any] | None, bytes]:
    """Run the submission's file and find its function; return it and what to tell the judge."""
    text = job.source.decode("utf-8-sig")
    linecache.cache[wire.FILE_NAME] = (
        len(text),
        None,
        io.StringIO(text).readlines(),
        wire.FILE_NAME,
    )
    module = types.ModuleType("submission")
    module.__file__ = wire.FILE_NAME
    # Python's own module, not the copy that this module uses.
    vars(module)["__builtins__"] = sys.modules["builtins"]
    sys.modules["submission"] = module
    try:
        code = compile(text, wire.FILE_NAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        return None, wire.pack_reply(
            Kind.SYNTAX, lines=[error.lineno or 0], text=[type(error).__name__, str(error.msg)]
        )
    except (MemoryError, RecursionError, ValueError) as error:
        # The parser's way to say that an expression is nested too deeply.
        message = str(error) or "too deeply nested for Python to compile"
        return None, wire.pack_reply(Kind.SYNTAX, text=[type(error).__name__, message])
    try:
        exec(code, module.__dict__)  # noqa: S102 (what this process is for)
    except BaseException as error:  # noqa: BLE001 (whatever a submission raises)
        return None, _failure(error, ballast, text, job.function)
    return _find(module, job)


def _find(module: types.ModuleType, job: wire.Job) -> tuple[Callable[..., Any] | None, bytes]:
    names = vars(module)
    found = names.get(job.function)
    if not callable(found):
        kind = "" if found is None else _type_name(type(found))
        return None, wire.pack_reply(Kind.NO_FUNCTION, text=[kind, *_defined(names)])
    try:
        signature = _signature(found)
        text = str(signature)
        signature.bind(*job.parameters)
    except TypeError as error:
        line = _line_of(found)
        return None, wire.pack_reply(Kind.SIGNATURE, lines=[line], text=[text, str(error)])
    except Exception:  # noqa: BLE001, S110 (without a signature it may still take the arguments)
        pass
    return found, wire.pack_reply(Kind.READY)


def _defined(names: dict[str, Any]) -> list[str]:
    """Return what the file defines as "name:line", methods as "Class.name:line"."""
    found = []
    for name, value in names.items():
        if isinstance(value, types.FunctionType):
            found.append(f"{name}:{_line_of(value)}")
        elif isinstance(value, type) and value.__module__ == "submission":
            found += [
                f"{name}.{method}:{_line_of(body)}"
                for method, body in vars(value).items()
                if isinstance(body, types.FunctionType)
            ]
    return found[:64]


def _line_of(function: Any) -> int:
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if isinstance(code, types.CodeType) else 0


# ------------------------------------------------------------------------------- calling


def _answer_calls(function: Callable[..., Any], flush: _Flush, ballast: list[bytes]) -> None:
    while True:
        call = wire.read_call(_receive)
        arguments = [_argument(call.body, argument) for argument in call.arguments]
        payload = b""
        try:
            result = function(*arguments)
            header, payload = _describe(result, call.wanted, _changed(call, arguments))
        except BaseException as error:  # noqa: BLE001 (whatever a submission raises)
            header = _failure(error, ballast)
        result = None
        flush()
        _send(header + payload if len(payload) < 1 << 16 else header)
        if len(payload) >= 1 << 16:
            _send(payload)
        if not ballast:
            ballast.append(_ballast())


def _argument(body: bytes, argument: wire.Argument) -> Any:
    if argument.code in _NUMPY:
        # A copy owns its memory and may be written, as an array that the caller made would.
        return _ndarray(argument.shape, _NUMPY[argument.code], body, argument.start).copy()
    data = body[argument.start : argument.end]
    match argument.code:
        case wire.INT:
            return int(data)
        case wire.BOOL:
            return data != b"\0"
        case wire.FLOAT:
            return float(_from_buffer(data, _float64)[0])
        case wire.TEXT:
            return data.decode("utf-8", "surrogatepass")
    raise ValueError(f"an argument of code {argument.code}")


def _changed(call: wire.Call, arguments: list[Any]) -> int:
    """Tell which arguments the call changed, as bits; a note to the learner, so best effort."""
    arrays = [
        (index, argument, value)
        for index, (argument, value) in enumerate(zip(call.arguments, arguments, strict=True))
        if argument.code in _NUMPY
    ]
    # bytes.join would meet an array whose strides were changed with an error.
    try:
        same = _join([value for _, _, value in arrays]) == call.elements
    except BufferError:
        same = False
    if same and all(_shape_of(value) == argument.shape for _, argument, value in arrays):
        return 0
    bits = 0
    for index, argument, value in arrays:
        same = _shape_of(value) == argument.shape
        if not same or _to_bytes(value) != call.body[argument.start : argument.end]:
            bits |= 1 << min(index, 63)
    return bits


def _describe(result: Any, wanted: wire.Wanted, changed: int) -> tuple[bytes, bytes]:
    """Return the reply that describes a result, and its elements when they are wanted."""
    kind = type(result)
    if kind is _ndarray:
        dtype, shape = _dtype_of(result), _shape_of(result)
        code = _CODES.get(dtype, 0)
        if not code or wanted.dtype not in (0, code):
            name = _dtype_name(dtype)
            return wire.pack_reply(Kind.WRONG_DTYPE, shape=shape, text=[name], changed=changed), b""
        if wanted.shape not in (None, shape):
            return wire.pack_reply(Kind.WRONG_SHAPE, shape=shape, changed=changed), b""
        elements = _to_bytes(result)
    elif kind in _SCALARS and wanted.shape in (None, ()) and wanted.dtype in (0, _SCALARS[kind]):
        # What NumPy's reductions return where the result has no axes.
        code, shape, elements = _SCALARS[kind], (), _generic_bytes(result)
    else:
        names = [_type_name(kind), _rendering(result)]
        return wire.pack_reply(Kind.WRONG_TYPE, text=names, changed=changed), b""
    if len(elements) > wanted.max_bytes:
        return wire.pack_reply(Kind.WRONG_SHAPE, shape=shape, changed=changed), b""
    header = wire.pack_reply(
        Kind.VALUE, dtype=code, shape=shape, changed=changed, nbytes=len(elements)
    )
    return header, elements


def _dtype_name(dtype: Any) -> str:
    name = str(dtype.name)
    return name if dtype.isnative else f"{name} in foreign byte order ({dtype.str})"


def _type_name(kind: type) -> str:
    module = kind.__module__
    own = module in ("builtins", "submission")
    return kind.__qualname__ if own else f"{module}.{kind.__qualname__}"


def _rendering(result: Any) -> str:
    """Say a little more where that is cheap and safe: how long a list is, which scalar it was."""
    if type(result) in (list, tuple):
        return f"of length {len(result)}"
    return ""


# ------------------------------------------------------------------------------- practice

_PRACTICE = 24
_EXERCISE = wire.Job(b"import numpy as np\n\n\ndef f(x, n):\n    return x\n", "f", ("x", "n"))


def practise() -> None:
    """Do in the zygote what every worker does first.

    Python makes code that was run several times faster, in place (PEP 659): workers inherit that,
    and write to fewer of the pages that they share.
    """
    values = [np.eye(2), np.ones(3), np.ones(2, bool), 2, 0.5, True, "text"]
    frame = wire.pack_call(values, wire.Wanted.exactly("float64", (2, 2)))
    for _ in range(_PRACTICE):
        _load(_EXERCISE, [])
        _unread.extend(frame)
        call = wire.read_call(_receive)
        arguments = [_argument(call.body, argument) for argument in call.arguments]
        _describe(arguments[0], call.wanted, _changed(call, arguments))
    del sys.modules["submission"], linecache.cache[wire.FILE_NAME]


# ------------------------------------------------------------------------------- failing


def _failure(
    error: BaseException, ballast: list[bytes], source: str = "", function: str = ""
) -> bytes:
    """Return the reply for an exception: its type and message, and the submission's own lines."""
    if isinstance(error, MemoryError):
        ballast.clear()
        lines = _lines(error)
        # The frames hold whatever filled the memory.
        error.__traceback__ = None
        return wire.pack_reply(Kind.MEMORY, lines=lines)
    lines = _lines(error)
    name, message = _type_name(type(error)), _message(error)
    if isinstance(error, SystemExit):
        return wire.pack_reply(Kind.EXIT, lines=lines, text=[message])
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        unused = _unused_import(source, error.name, function) if source else 0
        fields = [name, message, error.name]
        lines = [unused, *lines[-1:]]
        return wire.pack_reply(Kind.MISSING_MODULE, lines=lines, text=fields)
    return wire.pack_reply(Kind.EXCEPTION, lines=lines, text=[name, message])


def _lines(error: BaseException) -> list[int]:
    """Return the submission's lines on the way to an exception, outermost first."""
    lines: list[int] = []
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == wire.FILE_NAME:
            line = step.tb_lineno or 0
            # Once more says that it recurs; a thousand times says no more.
            if lines[-2:] != [line, line]:
                lines.append(line)
        step = step.tb_next
    if len(lines) > wire.MAX_LINES:
        return lines[:_FRAMES_KEPT] + lines[-_FRAMES_KEPT:]
    return lines


def _message(error: BaseException) -> str:
    try:
        return str(error)[:1000]
    except BaseException:  # noqa: BLE001 (its own __str__ may raise anything)
        return ""


def _unused_import(source: str, module: str, function: str) -> int:
    """Return the line of an import whose names nobody uses, the judge included, or 0."""
    if len(source) > _AST_LIMIT:
        return 0
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {function, "*"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            continue
        # "No module named 'torch'" for `import torch.nn`: one is the other's beginning.
        if not any(name == module or name.startswith(f"{module}.") for name in modules):
            continue
        bound = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        return 0 if bound & used else node.lineno
    return 0
