"""What holds for every request: the name of the host, the token, the headers of answers, figures and the log.

The log has the route, the status, the time and sizes: no text, no query, no header.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from typing import TYPE_CHECKING

from .answering import Answer
from .refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .metrics import Metrics

__all__ = ["POLICY", "Guard"]

LOG = logging.getLogger("anypiece.lab.access")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_RAW = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
_OPEN = ("/", "/healthz")
_OPEN_FOLDER = "/page/"


class Guard:
    """An application within these rules. ``hosts`` are the names it answers to, all if None."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, hosts: Collection[str] | None, token: str | None, is_logged: bool
    ) -> None:
        self.app, self.metrics, self.hosts, self.is_logged = app, metrics, hosts, is_logged
        self._digest = None if token is None else hashlib.sha256(token.encode()).digest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, told = time.perf_counter(), {"status": 0, "size": 0}

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
                message["headers"] = [*message.get("headers", ()), *_RAW]
            elif message["type"] == "http.response.body":
                told["size"] += len(message.get("body", b""))
            await send(message)

        refused = self._refusal(scope)
        try:
            if refused is None:
                await self.app(scope, receive, sent)
            else:
                await Answer(refused.written(), refused.status, refused.headers)(scope, receive, sent)
        finally:
            self._note(scope, told["status"], told["size"], time.perf_counter() - begun)

    def _refusal(self, scope: Scope) -> Refused | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if self.hosts is not None and _host(headers.get(b"host", "")) not in self.hosts:
            return Refused(421, "This server does not answer to that name of a host.")
        path = scope["path"]
        if self._digest is None or path in _OPEN or path.startswith(_OPEN_FOLDER):
            return None
        kind, _, token = headers.get(b"authorization", "").partition(" ")
        given = hashlib.sha256(token.strip().encode()).digest()
        if kind.lower() == "bearer" and hmac.compare_digest(given, self._digest):
            return None
        return Refused(401, "The token is missing or wrong.", headers={"WWW-Authenticate": "Bearer"})

    def _note(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        route = _route(scope)
        self.metrics.answered(route, status, seconds, scope.get("anypiece.size", 0))
        if self.is_logged:
            asked = scope.get("anypiece.size", 0)
            LOG.info("%s %s %d %.1f ms %d B in %d B out", scope["method"], route, status, 1000 * seconds, asked, size)


def _host(header: str) -> str:
    """The name in a Host header.

    >>> _host("localhost:8080"), _host("[::1]:80"), _host("127.0.0.1")
    ('localhost', '[::1]', '127.0.0.1')
    """
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()


def _route(scope: Scope) -> str:
    """The path of the route that answered, so that clients cannot make up names."""
    return str(scope.get("anypiece.route", "other"))
