"""How a request becomes an answer: its body is read, the work is done at once or by a lane, and what is refused says why."""

from __future__ import annotations

import logging
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from .bodies import Bodies, Gone, content_type, in_time
from .refusals import Refused, refusal_of
from .schemas import checked
from .wire import parsed, written

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from .asked import Lab
    from .lanes import Lanes
    from .routes import Route

__all__ = ["Answer", "endpoint", "refusing"]

LOG = logging.getLogger("anypiece.lab")
_PART = 256 << 10
_SLOWEST = 16 << 10
"""Bytes of an answer that a client takes in a second, at least."""


class Answer:
    """An answer that leaves in parts; while it does, it counts as held with the bodies of requests."""

    def __init__(
        self, body: bytes, status: int = 200, headers: dict[str, str] | None = None, bodies: Bodies | None = None
    ) -> None:
        self.body, self.status, self.bodies = body, status, bodies
        self.headers = {"content-type": "application/json", **(headers or {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.bodies is None:
            return await self._sent(send)
        size = len(self.body)
        self.bodies.held += size
        try:
            await in_time(self._sent(send), self.bodies.limits.send_seconds + size / _SLOWEST)
        finally:
            self.bodies.release(size)

    async def _sent(self, send: Send) -> None:
        headers = {**self.headers, "content-length": str(len(self.body))}
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": raw})
        for start in range(0, max(1, len(self.body)), _PART):
            more = start + _PART < len(self.body)
            await send({"type": "http.response.body", "body": self.body[start : start + _PART], "more_body": more})


def endpoint(lab: Lab, lanes: Lanes, bodies: Bodies, route: Route) -> Callable[[Request], Awaitable[Any]]:
    """The endpoint of a route of the table."""

    async def answer(request: Request) -> Answer:
        body = b"{}" if route.method == "GET" else await _json(request, bodies, lab.limits.body)
        request.scope["anypiece.size"] = len(body)
        try:
            pace = _pace(route, body)
            if pace == "slow":  # its answer may be large, however short the request is
                bodies.check()
            if pace == "quick" and len(body) <= lab.limits.instant and lab.models.are_own:
                found = _answered(lab, route, body)
            else:
                found = await lanes.of(pace, len(body)).run(partial(_answered, lab, route, body))
        finally:
            if route.method != "GET":
                bodies.release(len(body))
        return Answer(found, bodies=bodies)

    return refusing(answer)


async def _json(request: Request, bodies: Bodies, most: int) -> bytes:
    kind = content_type(request)
    if kind != "application/json":
        raise Refused(415, f"The body must be application/json, not {kind[:80] or 'nothing'}.")
    return await bodies.read(request, most)


def _pace(route: Route, body: bytes) -> str:
    """A template that a client sends is a program: it runs where slow code does."""
    return "slow" if route.pace == "slow" or b'template"' in body else "quick"


def _answered(lab: Lab, route: Route, body: bytes) -> bytes:
    """All of the work, on a thread."""
    asked = checked(route.request, parsed(body, lab.limits.depth))
    return written(route.run(lab, asked))


def refusing(answer: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Any]]:
    """``answer``, with errors as answers. What nobody foresaw is logged without its message, which may hold a text."""

    async def refused(request: Request) -> Any:
        try:
            return await answer(request)
        except Gone:
            return Answer(b"", 499)
        except Exception as error:
            found = refusal_of(error)
            if found is None:
                places = "".join(traceback.format_tb(error.__traceback__)[-3:])
                LOG.error("%s in %s\n%s", type(error).__name__, request.url.path, places)
                found = Refused(500, "The server failed in a way it was not made for; its log says where.")
            return Answer(found.written(), found.status, found.headers)

    return refused
