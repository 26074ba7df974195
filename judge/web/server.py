"""The server: store, desk, API and page put together, and ended in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import app, ui

from judge.batch.drive import Work
from judge.batch.jobs import Setting
from judge.problem import Problem
from judge.web.api import Service, make_router
from judge.web.desk import Desk
from judge.web.guard import Guard, Traffic
from judge.web.logs import log_json_lines
from judge.web.page import Contents, add_page
from judge.web.store import Store
from judge.web.work import EventPipe, event_pool, judge_with_events

log = logging.getLogger("judge.web")

DRAIN_SECONDS = 30.0
_FORGET_SECONDS = 600.0
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Options:
    """How to serve.

    Args:
        host: the address to listen on.
        port: the port.
        store: the database file.
        workers: how many submissions run at once.
        token: what clients must show; none when empty.
        retention_s: seconds after which sources of finished submissions are deleted; 0: never.
        rejudge: whether to judge again what was judged with another bundle.
    """

    host: str
    port: int
    store: Path
    workers: int
    token: str = ""
    retention_s: float = 0.0
    rejudge: bool = False


def serve(
    problem: Problem,
    setting: Setting,
    contents: Contents,
    described: dict[str, Any],
    options: Options,
    cluster: tuple[Callable[[], Executor], Work] | None = None,
) -> None:
    """Serve the page and the API until the process is told to end.

    Args:
        problem: the bundle.
        setting: how submissions are judged.
        contents: what the page shows.
        described: the answer to /api/problem.
        options: how to serve.
        cluster: an executor and its work, in place of this machine's pool.

    Raises:
        StoreError: the store can't be used.
    """
    log_json_lines()
    store = Store(options.store)
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
    )
    app.include_router(make_router(service))
    add_page(service, contents)
    loopback = options.host in LOCAL_NAMES
    app.add_middleware(
        Guard, hosts=LOCAL_NAMES if loopback else frozenset(), token=options.token, traffic=traffic
    )

    async def forget() -> None:
        while options.retention_s > 0:
            forgotten = await asyncio.to_thread(store.forget_sources, options.retention_s)
            if forgotten:
                log.info("sources deleted", extra={"submissions": forgotten})
            await asyncio.sleep(_FORGET_SECONDS)

    def end() -> None:
        drained = desk.drain(DRAIN_SECONDS)
        log.info("ended", extra={"drained": drained})
        pipe.close()
        store.close()

    app.on_startup(forget)
    app.on_shutdown(end)
    log.info(
        "listening", extra={"host": options.host, "port": options.port, "problem": problem.slug}
    )
    ui.run(
        host=options.host,
        port=options.port,
        title=contents.name,
        dark=None,
        reload=False,
        show=False,
        show_welcome_message=False,
        uvicorn_logging_level="warning",
        fastapi_docs=True,
        favicon="📐",
    )
