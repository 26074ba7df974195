"""Work spread over processes, results as they come."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_parallel(
    function: Callable[[Any], tuple[str, Any]], items: Iterable[Any], jobs: int | None
) -> Iterator[tuple[str, Any]]:
    """Yield results as they come; in this process when one would do."""
    work = list(items)
    workers = min(jobs or usable_cores(), len(work))
    if workers <= 1:
        yield from map(function, work)
        return
    # A forked child would inherit whatever threads the caller runs; a spawned one starts clean.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures = [pool.submit(function, item) for item in work]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
