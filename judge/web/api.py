"""The HTTP API, described by OpenAPI at /openapi.json: submit, ask, follow, health, metrics."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from judge.batch.jobs import decode_judged
from judge.problem import bundle_digest
from judge.report import for_audience
from judge.verdicts import Report
from judge.web.desk import Desk, is_over
from judge.web.guard import Traffic
from judge.web.store import FullError, Limits, Status, Store, Stored

# Of each client one runs and ten wait.
LIMITS = Limits(of_client=11, of_all=1000)
RETRY_SECONDS = 5
_FOLLOW_SECONDS = 1.0
_ID = r"^[A-Za-z0-9_-]{16}$"

Identity = Annotated[str, Path(pattern=_ID, description="as the answer to the submission gave it")]


class RefusedError(Exception):
    """A submission is not taken; `status` and the message say why, `retry` when to try again."""

    def __init__(self, status: int, message: str, retry: int = 0) -> None:
        super().__init__(message)
        self.status, self.retry = status, retry


@dataclass(frozen=True)
class Service:
    """What the API and the page stand on."""

    store: Store
    desk: Desk
    traffic: Traffic
    bundle: str
    most_source: int
    problem: dict[str, Any]
    folder: pathlib.Path

    def bundle_changed(self) -> bool:
        """Tell whether the folder's bundle is no longer the one that is judged with."""
        try:
            return bundle_digest(self.folder) != self.bundle
        except OSError:
            return True

    def submit(
        self, client: str, source: bytes, *, samples_only: bool = False, key: str | None = None
    ) -> str:
        """Take a submission and return its id; it is on disk then.

        Raises:
            RefusedError: it is too large, the client has too many waiting, or the queue is full.
        """
        if len(source) > self.most_source:
            limit = self.most_source >> 10
            raise RefusedError(
                413, f"the source has {len(source)} bytes; at most {limit} KiB are taken"
            )
        if self.desk.draining:
            raise RefusedError(503, "the server is ending; try again soon", RETRY_SECONDS)
        try:
            identity, new = self.store.add(
                client, source, samples_only=samples_only, key=key, limits=LIMITS
            )
        except FullError as full:
            raise RefusedError(429, str(full), RETRY_SECONDS) from None
        if new:
            self.desk.wake()
        return identity


def learners_report(stored: Stored) -> Report | None:
    """Return what a learner may see of a submission's report; None until it is judged."""
    if stored.result is None:
        return None
    report = decode_judged(stored.result).report
    lines = None if stored.source is None else stored.source.count(b"\n") + 1
    return for_audience(report, "learner", lines=lines)


def learners_page(stored: Stored) -> bytes:
    """Return the learner's HTML page of a submission; empty until it is judged."""
    return b"" if stored.result is None else decode_judged(stored.result).page


def described(service: Service, stored: Stored) -> dict[str, Any]:
    """Return a submission as the API tells it: the report's keys, and `status` beside them."""
    report = learners_report(stored)
    told: dict[str, Any] = {"verdict": None}
    if report is not None:
        told = msgspec.to_builtins(report)
    told |= {"id": stored.id, "status": str(stored.status), "received": stored.received}
    if stored.status is Status.QUEUED:
        told["waiting_before"] = service.store.position(stored)
    return told


def make_router(service: Service) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    errors: dict[int | str, dict[str, Any]] = {
        status: {"description": text, "content": {"application/json": {"schema": _ERROR}}}
        for status, text in (
            (400, "not JSON with a source, nor a file"),
            (413, "too large"),
            (429, "too many waiting; Retry-After says when to try again"),
            (503, "the server is ending"),
        )
    }
    missing: dict[int | str, dict[str, Any]] = {
        404: {"description": "no such submission", "content": _json(_ERROR)}
    }

    @router.post(
        "/api/submissions",
        status_code=202,
        responses={202: {"description": "taken, and on disk", "content": _json(_TAKEN)}, **errors},
        openapi_extra={"requestBody": _BODY},
    )
    async def submit(
        request: Request, idempotency_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> Response:
        """Submit a solution: JSON `{"source": "…"}`, a form with a file, or the file itself."""
        try:
            source, samples_only = await _read_source(await _body(request), request.headers)
            client: str = request.state.client
            identity = await asyncio.to_thread(
                service.submit, client, source, samples_only=samples_only, key=idempotency_key
            )
        except RefusedError as refused:
            headers = {"Retry-After": str(refused.retry)} if refused.retry else None
            return JSONResponse({"error": str(refused)}, refused.status, headers)
        return JSONResponse({"id": identity}, 202, {"Location": f"/api/submissions/{identity}"})

    @router.get(
        "/api/submissions/{identity}",
        responses={200: {"description": "as it stands", "content": _json(_TOLD)}, **missing},
    )
    async def get(identity: Identity) -> Response:
        """Return a submission's status, and the learner's report once it is judged."""
        stored = await asyncio.to_thread(service.store.get, identity)
        if stored is None:
            return JSONResponse({"error": "no such submission"}, 404)
        return JSONResponse(await asyncio.to_thread(described, service, stored))

    @router.delete(
        "/api/submissions/{identity}",
        responses={
            200: {"description": "cancelled", "content": _json(_TOLD)},
            409: {"description": "nothing left to cancel", "content": _json(_ERROR)},
            **missing,
        },
    )
    async def cancel(identity: Identity, request: Request) -> Response:
        """Cancel one's own submission while it waits or runs."""
        cancelled = await asyncio.to_thread(service.desk.cancel, identity, request.state.client)
        stored = await asyncio.to_thread(service.store.get, identity)
        if stored is None:
            return JSONResponse({"error": "no such submission"}, 404)
        if not cancelled:
            return JSONResponse({"error": "nothing left to cancel, or not yours"}, 409)
        return JSONResponse(described(service, stored))

    @router.get(
        "/api/submissions/{identity}/events",
        responses={
            200: {"description": "case by case", "content": {"text/event-stream": {}}},
            **missing,
        },
    )
    async def events(identity: Identity) -> Response:
        """Follow a submission: an event `case` for each case as it comes, then `done`."""
        if await asyncio.to_thread(service.store.get, identity) is None:
            return JSONResponse({"error": "no such submission"}, 404)
        return StreamingResponse(
            _follow(service, identity),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )

    @router.get(
        "/api/problem",
        responses={200: {"description": "the problem", "content": _json({"type": "object"})}},
    )
    async def problem() -> Response:
        """Return what the problem is: name, signature, limits, tolerance, groups, samples."""
        return JSONResponse(service.problem)

    @router.get(
        "/api/health",
        responses={200: {"description": "it works", "content": _json({"type": "object"})}},
    )
    async def health() -> Response:
        """Tell that the server works, and how much it has to do."""
        counts = await asyncio.to_thread(service.store.counts)
        told = {
            "status": "ending" if service.desk.draining else "ok",
            "bundle": service.bundle,
            "bundle_changed": await asyncio.to_thread(service.bundle_changed),
            "waiting": counts[Status.QUEUED],
            "running": counts[Status.RUNNING],
        }
        return JSONResponse(told)

    @router.get(
        "/metrics", responses={200: {"description": "for a scraper", "content": {"text/plain": {}}}}
    )
    async def metrics() -> Response:
        """Return counts in the Prometheus text format."""
        return PlainTextResponse(await asyncio.to_thread(_metrics, service))

    return router


async def _body(request: Request) -> bytes:
    """Read the body, and no more of it than could be a submission."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > _LARGEST_REQUEST:
            raise RefusedError(413, f"at most {_LARGEST_REQUEST >> 10} KiB are taken")
    return bytes(data)


_LARGEST_REQUEST = 512 << 10


class _Submission(msgspec.Struct):
    source: str
    samples_only: bool = False


async def _read_source(body: bytes, headers: Headers) -> tuple[bytes, bool]:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _read_form(body, headers), False
    if kind in ("text/x-python", "text/plain", "application/octet-stream"):
        return body, False
    if kind not in ("application/json", ""):
        raise RefusedError(
            400,
            "send application/json with a source, a file as text/x-python, or a form with a file",
        )
    try:
        sent = msgspec.json.decode(body, type=_Submission)
        return sent.source.encode("utf-8"), sent.samples_only
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise RefusedError(400, f"not a submission: {error}") from None


async def _read_form(body: bytes, headers: Headers) -> bytes:
    """Return the first file of a form, as `curl --form file=@solution.py` sends it."""

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    try:
        form = await MultiPartParser(headers, stream(), max_files=1, max_fields=8).parse()
    except (MultiPartException, KeyError, ValueError) as error:
        raise RefusedError(400, f"not a form: {error}") from None
    async with contextlib.AsyncExitStack() as opened:
        opened.push_async_callback(form.close)
        for value in form.values():
            if isinstance(value, UploadFile):
                return await value.read()
    raise RefusedError(400, "the form has no file")


async def _follow(service: Service, identity: str) -> AsyncIterator[str]:
    told = 0
    news = asyncio.Event()
    loop = asyncio.get_running_loop()

    def listener(changed: str) -> None:
        if changed == identity:
            loop.call_soon_threadsafe(news.set)

    stop = service.desk.listen(listener)
    try:
        while True:
            news.clear()
            for event in service.desk.progress(identity)[told:]:
                told += 1
                yield _event("case", {"name": event.case, "verdict": str(event.verdict)})
            stored = await asyncio.to_thread(service.store.get, identity)
            if stored is None or is_over(stored.status):
                status = str(stored.status) if stored else "gone"
                verdict = stored.verdict if stored else None
                yield _event("done", {"status": status, "verdict": verdict})
                return
            if service.desk.draining:
                # The connection ends, and the browser's EventSource asks the next server again.
                return
            try:
                await asyncio.wait_for(news.wait(), _FOLLOW_SECONDS)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        stop()


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _metrics(service: Service) -> str:
    counts = service.store.counts()
    lines = ["# TYPE judge_submissions gauge"]
    lines += [f'judge_submissions{{status="{s}"}} {n}' for s, n in counts.items()]
    lines.append("# TYPE judge_verdicts counter")
    found = service.store.verdict_counts()
    lines += [f'judge_verdicts{{verdict="{verdict}"}} {n}' for verdict, n in sorted(found.items())]
    lines.append("# TYPE judge_requests_total counter")
    lines += [
        f'judge_requests_total{{status="{status}"}} {n}'
        for status, n in sorted(service.traffic.requests.items())
    ]
    lines.append("# TYPE judge_request_seconds_total counter")
    lines.append(f"judge_request_seconds_total {service.traffic.seconds:.3f}")
    return "\n".join(lines) + "\n"


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}}
_TAKEN = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
_TOLD = {
    "type": "object",
    "required": ["id", "status", "verdict"],
    "properties": {
        "id": {"type": "string"},
        "status": {"enum": [str(status) for status in Status]},
        "verdict": {"type": ["string", "null"]},
        "waiting_before": {"type": "integer"},
    },
    "description": "once judged, also every key of the learner's report (docs/formats.md)",
}
_BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["source"],
                "properties": {
                    "source": {"type": "string"},
                    "samples_only": {"type": "boolean", "default": False},
                },
            }
        },
        "text/x-python": {"schema": {"type": "string"}},
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "string", "format": "binary"}},
            }
        },
    },
}
