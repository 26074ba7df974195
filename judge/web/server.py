"""The server: store, desk, API and page put together, and ended in order."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from nicegui import app, ui

from judge import __version__
from judge.batch.drive import Work
from judge.batch.jobs import Setting
from judge.problem import Problem
from judge.web.api import Service, make_router
from judge.web.desk import Desk
from judge.web.guard import Guard, Traffic
from judge.web.logs import log_json_lines
from judge.web.page import Contents, add_page
from judge.web.store import Status, Store
from judge.web.work import EventPipe, event_pool, judge_with_events

log = logging.getLogger("judge.web")

DRAIN_SECONDS = 30.0
_HOUSEKEEPING_SECONDS = 60.0
_CLOSE_SECONDS = 5
_RECONNECT_SECONDS = 30.0
_EXIT_INTERRUPTED = 130
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Options:
    """How to serve.

    Args:
        host: the address to listen on.
        port: the port.
        workers: how many submissions run at once.
        token: what clients must show; none when empty.
        names: host names under which a proxy makes the page known.
        retention_s: seconds after which sources of finished submissions are deleted; 0: never.
        rejudge: whether to judge again what was judged with another bundle.
    """

    host: str
    port: int
    workers: int
    token: str = ""
    names: frozenset[str] = frozenset()
    retention_s: float = 0.0
    rejudge: bool = False


def serve(
    problem: Problem,
    folder: Path,
    setting: Setting,
    store: Store,
    contents: Contents,
    described: dict[str, Any],
    options: Options,
    cluster: tuple[Callable[[], Executor], Work] | None = None,
) -> None:
    """Serve the page and the API until the process is told to end.

    Args:
        problem: the private copy of the bundle.
        folder: where it was copied from, which may change.
        setting: how submissions are judged.
        store: the database.
        contents: what the page shows.
        described: the answer to /api/problem.
        options: how to serve.
        cluster: an executor and its work, in place of this machine's pool.
    """
    log_json_lines()
    if options.rejudge:
        log.info("judging again", extra={"submissions": store.rejudge(setting.bundle)})
    # Events of a pool's processes come through the pipe; a cluster tells of the whole alone.
    pipe = EventPipe()
    if cluster is None:
        cluster = (lambda: event_pool(options.workers, pipe)), judge_with_events
    desk = Desk(store, problem, setting, cluster[0], options.workers, cluster[1])
    pipe.start(desk.on_event)
    traffic = Traffic()
    service = Service(
        store=store,
        desk=desk,
        traffic=traffic,
        bundle=setting.bundle,
        most_source=problem.limits.code << 10,
        problem=described,
        folder=folder,
    )
    app.include_router(make_router(service))
    add_page(service, contents)
    loopback = options.host in LOCAL_NAMES
    hosts = options.names | LOCAL_NAMES if loopback or options.names else frozenset()
    app.add_middleware(Guard, hosts=hosts, token=options.token, traffic=traffic)

    async def keep_house() -> None:
        while not desk.draining:
            await asyncio.to_thread(_keep_house, service, options)
            await asyncio.sleep(_HOUSEKEEPING_SECONDS)

    def end() -> None:
        drained = desk.drain(DRAIN_SECONDS)
        log.info("ended", extra={"drained": drained, "owed": _owed(store)})
        if not drained:
            # What still runs stays owed; its processes end with this one.
            store.close()
            os._exit(0)
        pipe.close()

    address = {"host": options.host, "port": options.port, "problem": problem.slug}
    app.on_startup(lambda: _handle_signals(desk))
    app.on_startup(lambda: log.info("started", extra=address))
    app.on_startup(keep_house)
    app.on_shutdown(end)
    app.title, app.version, app.openapi_url = contents.name, __version__, "/openapi.json"
    app.setup()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, _exit_orderly)
    ui.run(
        host=options.host,
        port=options.port,
        title=contents.name,
        dark=None,
        language="en-US",
        reload=False,
        show=False,
        show_welcome_message=False,
        uvicorn_logging_level="warning",
        reconnect_timeout=_RECONNECT_SECONDS,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
        favicon="📐",
    )


def _handle_signals(desk: Desk) -> None:
    """End in order at the first SIGTERM or Ctrl-C, and at once at the second.

    The web server raises the signal again when it has shut down, for the handler that was there
    before; by then all is done.
    """
    shut_down = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}

    def handle(number: int, frame: FrameType | None) -> None:
        if desk.draining:
            os._exit(_EXIT_INTERRUPTED)
        desk.stop_handing_out()
        begin = shut_down[signal.Signals(number)]
        if callable(begin):
            begin(number, frame)

    for one in shut_down:
        signal.signal(one, handle)


def _exit_orderly(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _keep_house(service: Service, options: Options) -> None:
    """Delete what is kept no longer, and say so when the bundle is no longer the one in use."""
    if options.retention_s > 0:
        forgotten = service.store.forget_sources(options.retention_s)
        if forgotten:
            log.info("sources deleted", extra={"submissions": forgotten})
    if service.bundle_changed():
        advice = "verdicts come from the copy made at the start; restart to judge with the new one"
        log.warning("bundle changed", extra={"folder": str(service.folder), "advice": advice})


def _owed(store: Store) -> int:
    counts = store.counts()
    return counts[Status.QUEUED] + counts[Status.RUNNING]
