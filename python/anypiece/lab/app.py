"""The application: the table of routes with what does not fit into it (streams, files that are sent, the page)."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route as Path

from .answering import Answer, endpoint, refusing
from .bodies import Bodies, content_type
from .guard import Guard
from .lanes import Lanes
from .openapi import document
from .opening import opened
from .page_files import PageFiles
from .refusals import Refused
from .routes import routes
from .schemas import checked
from .streams import REQUEST, Events, events_of_ids, events_of_lines
from .wire import parsed, written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .asked import Lab

__all__ = ["application"]


def application(
    lab: Lab,
    *,
    token: str | None = None,
    hosts: Collection[str] | None = None,
    is_logged: bool = False,
    connections: Callable[[], int] = lambda: 0,
) -> ASGIApp:
    """The ASGI application of a lab. With a ``token``, requests must carry it; ``hosts`` are the names it answers to."""
    lanes, bodies = Lanes(lab.limits), Bodies(lab.limits)
    table = routes(lab.limits)
    other = _Other(lab, lanes, bodies, PageFiles(), connections)
    described = written(document(table, token is not None))

    async def openapi(request: Request) -> Answer:
        return Answer(described)

    paths = [Path(route.path, endpoint(lab, lanes, bodies, route), methods=[route.method]) for route in table]
    paths += [
        Path("/", refusing(other.page)),
        Path("/page/{name}", refusing(other.page)),
        Path("/healthz", refusing(other.health)),
        Path("/metrics", refusing(other.figures)),
        Path("/openapi.json", refusing(openapi)),
        Path("/v1/decode/stream", refusing(other.stream), methods=["POST"]),
        Path("/v1/tokenizers", refusing(other.upload), methods=["POST"]),
        Path("/v1/tokenizers/{name}", refusing(other.remove), methods=["DELETE"]),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        lanes.close()

    handlers: Any = {HTTPException: _unknown}
    app = Starlette(routes=[*map(_named, paths)], exception_handlers=handlers, lifespan=lifespan)
    return Guard(app, lab.metrics, hosts, token, is_logged)


def _named(path: Path) -> Path:
    """A path that tells the log and the figures its name, and not what a client wrote."""
    inner = path.app

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["anypiece.route"] = path.path
        await inner(scope, receive, send)

    path.app = app
    return path


async def _unknown(request: Request, error: HTTPException) -> Answer:
    what = {404: "There is nothing at this path. GET /openapi.json lists what there is.", 405: "Not with this method."}
    found = Refused(error.status_code, what.get(error.status_code, str(error.detail)))
    return Answer(found.written(), found.status, dict(error.headers or {}))


class _Other:
    """Endpoints that are not of the table."""

    def __init__(
        self, lab: Lab, lanes: Lanes, bodies: Bodies, files: PageFiles, connections: Callable[[], int]
    ) -> None:
        self.lab, self.lanes, self.bodies, self.files, self.connections = lab, lanes, bodies, files, connections

    async def page(self, request: Request) -> Answer:
        """A file of the page."""
        found = self.files.get(request.path_params.get("name", "index.html"))
        if found is None:
            raise Refused(404, "The page has no such file.")
        body, headers = found
        if request.headers.get("if-none-match") == headers["etag"]:
            return Answer(b"", 304, headers)
        return Answer(body, headers=headers)

    async def health(self, request: Request) -> Answer:
        """Whether the server answers."""
        return Answer(b'{"status":"ok"}')

    async def figures(self, request: Request) -> Answer:
        """Figures for Prometheus."""
        text = self.lab.metrics.written(self.lanes, self.connections())
        return Answer(text.encode(), headers={"content-type": "text/plain; version=0.0.4; charset=utf-8"})

    async def stream(self, request: Request) -> Events:
        """Texts of ids as server-sent events."""
        kind = content_type(request)
        if kind == "application/x-ndjson":
            model = request.query_params.get("model")
            skip = request.query_params.get("skip_special") == "true"
            self.lab.models.get(model)
            events = events_of_lines(self.lab, request, {"model": model, "skip_special": skip})
        elif kind == "application/json":
            body = await self.bodies.read(request, self.lab.limits.body)
            try:
                asked = checked(REQUEST, parsed(body, self.lab.limits.depth))
            finally:
                self.bodies.release(len(body))
            self.lab.model(asked)
            events = events_of_ids(self.lab, asked)
        else:
            raise Refused(
                415, f"The body must be application/json or application/x-ndjson, not {kind[:80] or 'nothing'}."
            )
        return Events(events)

    async def upload(self, request: Request) -> Answer:
        """Keep a tokenizer that is sent."""
        if content_type(request) != "application/octet-stream":
            raise Refused(415, "A tokenizer file is sent as application/octet-stream.")
        name = request.query_params.get("name", "")
        self.lab.models.check(name)
        body = await self.bodies.read(request, self.lab.limits.upload)
        request.scope["anypiece.size"] = len(body)

        def work() -> bytes:
            model = self.lab.models.add(name, opened(body, self.lab.limits), len(body))
            return written(model.info())

        try:
            found = await self.lanes.slow.run(work)
        finally:
            self.bodies.release(len(body))
        return Answer(found, 201)

    async def remove(self, request: Request) -> Answer:
        """Forget a tokenizer that was sent."""
        name = request.path_params["name"]
        self.lab.models.remove(name)
        return Answer(written({"removed": name}))
