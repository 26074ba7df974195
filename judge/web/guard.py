"""What every request passes: who asks, whether it may, and what the browser may do with the answer.

A pure ASGI middleware (https://asgi.readthedocs.io), so that it also stands before websockets.
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

log = logging.getLogger("judge.web")

CLIENT_COOKIE = "judge_client"
TOKEN_COOKIE = "judge_token"  # noqa: S105 (a cookie's name)
COOKIE_SECONDS = 180 * 24 * 3600
LARGEST_BODY = 512 << 10

# NiceGUI compiles templates in the browser and writes inline scripts and styles; its websocket is
# on the same origin. Nothing from elsewhere is loaded.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
OPEN_PATHS = frozenset({"/api/health"})

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_CLIENT = re.compile(r"[A-Za-z0-9_-]{16,64}")


@dataclass
class Traffic:
    """What was asked, for /metrics: requests by status, and seconds spent."""

    requests: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass
class Guard:
    """Stands before the application.

    Args:
        app: what is guarded.
        hosts: names under which this server may be asked; any when empty. Without this a page
            elsewhere could have its own name point here.
        token: what a client must show; none when empty.
        traffic: counts.
    """

    app: App
    hosts: frozenset[str] = frozenset()
    token: str = ""
    traffic: Traffic = field(default_factory=Traffic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        cookies = _cookies(headers.get("cookie", ""))
        refusal = self._refusal(scope, headers, cookies)
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})
                return
            scope.setdefault("state", {})["client"] = _client(cookies)
            await self.app(scope, receive, send)
            return
        await self._http(scope, receive, send, cookies, refusal)

    async def _http(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        cookies: dict[str, str],
        refusal: tuple[int, str] | None,
    ) -> None:
        started = time.monotonic()
        status = 500
        client = _client(cookies)
        made = []
        if client is None:
            client = secrets.token_urlsafe(18)
            if not scope["path"].startswith("/api/"):
                made.append(_cookie(CLIENT_COOKIE, client, scope["scheme"]))
            else:
                # A program that keeps no cookies is known by its address.
                client = f"address-{(scope.get('client') or ('unknown',))[0]}"
        scope.setdefault("state", {})["client"] = client
        shown = self._shown_token(scope)
        if shown:
            made.append(_cookie(TOKEN_COOKIE, shown, scope["scheme"]))

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = [(name.encode(), value.encode("latin-1")) for name, value in HEADERS.items()]
                own += [(b"set-cookie", cookie.encode("latin-1")) for cookie in made]
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        try:
            if refusal:
                await _refuse(answer, *refusal)
            elif shown:
                await _redirect(answer, scope["path"])
            else:
                await self.app(scope, receive, answer)
        finally:
            seconds = time.monotonic() - started
            self.traffic.requests[status] = self.traffic.requests.get(status, 0) + 1
            self.traffic.seconds += seconds
            if not scope["path"].startswith(("/_nicegui", "/static")):
                detail = {"method": scope["method"], "path": scope["path"], "status": status}
                log.info("request", extra={**detail, "seconds": round(seconds, 4)})

    def _refusal(
        self, scope: Scope, headers: dict[str, str], cookies: dict[str, str]
    ) -> tuple[int, str] | None:
        host = headers.get("host", "")
        name = _parts(f"//{host}").hostname or "" if host.isascii() else ""
        if self.hosts and name not in self.hosts:
            return 421, "this server does not go by that name"
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if changes and origin is not None and _parts(origin).netloc != host:
            return 403, "a page of another site may not ask this"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > LARGEST_BODY:
            return 413, f"at most {LARGEST_BODY >> 10} KiB"
        if self.token and scope["path"] not in OPEN_PATHS:
            bearer = headers.get("authorization", "").removeprefix("Bearer ")
            given = (bearer, cookies.get(TOKEN_COOKIE, ""), self._shown_token(scope))
            if not any(_equal(one, self.token) for one in given):
                return 401, "a token is needed: Authorization: Bearer …, or open /?token=…"
        return None

    def _shown_token(self, scope: Scope) -> str:
        """Return the token that a page's address holds, if it is the right one."""
        if not self.token or scope.get("method") != "GET":
            return ""
        values = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        return next((value for value in values if _equal(value, self.token)), "")


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _client(cookies: dict[str, str]) -> str | None:
    found = cookies.get(CLIENT_COOKIE, "")
    return found if _CLIENT.fullmatch(found) else None


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}


def _cookie(name: str, value: str, scheme: str) -> str:
    secure = "; Secure" if scheme == "https" else ""
    kept = f"Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}"
    return f"{name}={value}; {kept}"


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = f'{{"error": "{reason}"}}'.encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _redirect(send: Send, path: str) -> None:
    """Send the browser to the same page without the token in its address."""
    # One slash at the start: two would name another server.
    headers = [(b"location", b"/" + quote(path.lstrip("/")).encode())]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
