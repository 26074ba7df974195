"""Runs one test case: reads it from standard input, calls the function, writes what came back.

This file is the main program; the submission is the other Python file beside it. The first line
written tells what was returned: "array", its dtype and its sizes in brackets, or "type" and what
it was instead of an array. The elements follow in C order, one a line, floats with all digits.

The submission runs in this same process: the program keeps what it prints by accident or by
design away from the result, and can't do more. Whatever must stay secret must not be here.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

SPEC: Any = json.loads(r"""{}""")

# Before NumPy is imported: threads would cost more than they give, and count as CPU time.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
sys.dont_write_bytecode = True

try:
    import numpy as np
except ImportError as _error:
    sys.exit(f"this problem needs NumPy, which {sys.executable} has not: {_error}")

_STACK = 8 << 20
_exit, _write = os._exit, os.write
_ndarray, _generic = np.ndarray, np.generic


def main() -> NoReturn:
    """Judge the submission beside this file on the case on standard input."""
    inputs = json.loads(sys.stdin.buffer.read().decode("ascii"))["input"]
    arguments = [_value(p["type"], inputs[p["name"]]) for p in SPEC["parameters"]]
    output = _keep_output()
    _limit_stack()
    _watch(SPEC["seconds"])
    # Given back when memory runs out, so that there is some to say so with.
    ballast = [bytearray(1 << 20)]
    try:
        result = _load(_find())(*arguments)
    except BaseException:  # noqa: BLE001 (also SystemExit: ending the program is no result)
        ballast.clear()
        try:
            traceback.print_exc()
        finally:
            _exit(1)
    _send(output, _describe(result))
    _exit(0)


def _value(kind: str, value: Any) -> Any:
    """Turn one value of the JSON document into what the function is called with."""
    dtype, bracket, _ = kind.partition("[")
    if not bracket:
        return value
    if isinstance(value, dict):
        little = np.dtype(dtype).newbyteorder("<")
        array = np.frombuffer(base64.b64decode(value["base64"]), little)
        return array.reshape(value["shape"]).astype(dtype)
    return np.array(value, dtype=dtype)


def _keep_output() -> int:
    """Send all that is printed from now on to nowhere; return a descriptor for the result."""
    output = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    # A program that ends itself has returned nothing, whatever its exit code says.
    os._exit = _fail
    return output


def _fail(status: int) -> NoReturn:
    _exit(status or 1)


def _limit_stack() -> None:
    """Give the stack its usual size again: recursion without end must crash, not fill memory."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_STACK)
        resource.setrlimit(resource.RLIMIT_STACK, (_STACK, most))


def _watch(seconds: float) -> None:
    """Use up CPU time once the time limit has passed, for judges that count no waiting."""

    def spin() -> NoReturn:
        time.sleep(seconds)
        while True:
            pass

    threading.Thread(target=spin, daemon=True).start()


def _find() -> Path:
    """Return the submission: the one other Python file, or the one that fits."""
    own = Path(__file__)
    files = [p for p in sorted(own.parent.iterdir()) if p.suffix in (".py", ".py3")]
    files = [p for p in files if p.name != own.name]
    name = SPEC["function"]
    if len(files) > 1:
        files = [p for p in files if p.stem == name] or files
    if len(files) > 1:
        pattern = re.compile(rf"^(?:async +)?(?:def|class) +{name}\b|^{name} *=", re.MULTILINE)
        files = [p for p in files if pattern.search(p.read_text("utf-8", "replace"))]
    if len(files) != 1:
        sys.exit(f"submit one Python file that defines {name}")
    return files[0]


def _load(file: Path) -> Callable[..., Any]:
    """Import the submission and return its function."""
    loader = importlib.machinery.SourceFileLoader("submission", str(file))
    spec = importlib.machinery.ModuleSpec("submission", loader, origin=str(file))
    spec.has_location = True
    module = importlib.util.module_from_spec(spec)
    sys.modules["submission"] = module
    loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, SPEC["function"])
    return function


def _describe(result: Any) -> str:
    """Return the text that tells a result."""
    if type(result) is not _ndarray:
        kind = type(result).__name__
        if not (isinstance(result, _generic) and kind in SPEC["scalars"]):
            return f"type {re.sub('[^A-Za-z0-9_]', '', kind)[:80] or '?'}\n"
    dtype = np.dtype(result.dtype)
    name = dtype.name if dtype.isnative else dtype.name + "-swapped"
    header = f"array {name} ({','.join(map(str, np.shape(result)))})"
    if name != SPEC["returns"].partition("[")[0]:
        return header + "\n"
    elements = np.asarray(result).ravel().tolist()
    return "\n".join([header] + [_element(value) for value in elements]) + "\n"


def _element(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else repr(value)


def _send(output: int, text: str) -> None:
    data = text.encode("ascii")
    while data:
        data = data[_write(output, data) :]


if __name__ == "__main__":
    main()
