"""A thread that lasts as long as this process, to be the parent of processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")

_requests: SimpleQueue[tuple[Callable[[], Any], SimpleQueue[Any]]] = SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def call(action: Callable[[], Result]) -> Result:
    """Do something there; return what it returns, or raise the OSError that it raises."""
    global _thread  # noqa: PLW0603
    with _lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_serve, name="zygote-starter", daemon=True)
            _thread.start()
    answer: SimpleQueue[Result | OSError] = SimpleQueue()
    _requests.put((action, answer))
    result = answer.get()
    if isinstance(result, OSError):
        raise result
    return result


def _serve() -> None:
    while True:
        action, answer = _requests.get()
        try:
            answer.put(action())
        except OSError as error:
            answer.put(error)
