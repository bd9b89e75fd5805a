"""The OpenAPI document, made from the table of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._native import __version__
from .schemas import BOOL, INT, TEXT, null_or, record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .routes import Route

__all__ = ["document"]

_ERROR = record(
    {"error": record({"message": TEXT, "type": TEXT, "param": null_or(TEXT), "code": INT, "reason": null_or(TEXT)})}
)
_REFUSALS = {
    "400": "The request is not what it must be.",
    "401": "The token is missing or wrong.",
    "404": "There is no such model.",
    "408": "The body did not come in time.",
    "413": "The request is too large.",
    "415": "The body is not JSON.",
    "422": "The text or file cannot be worked on.",
    "429": "Too many requests are open.",
}
_STREAM = (
    "The texts of ids as they are decoded, as server-sent events: an event for each stretch of text that is complete, "
    "then an event named done with the number of ids. The body is JSON with all ids, or lines of JSON, each an id or a "
    "list of ids, that are answered as they come."
)


def document(table: Iterable[Route], needs_token: bool) -> dict[str, Any]:
    """The document for a table of routes.

    >>> from anypiece.lab.limits import Limits
    >>> from anypiece.lab.routes import routes
    >>> sorted(document(routes(Limits()), False)["paths"])[:2]
    ['/detokenize', '/healthz']
    """
    paths: dict[str, Any] = {}
    for route in table:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    paths["/v1/decode/stream"] = {"post": _stream()}
    paths["/v1/tokenizers"] = {"post": _upload()}
    paths["/v1/tokenizers/{name}"] = {"delete": _removal()}
    paths["/healthz"] = {"get": _plain("Whether the server answers.", record({"status": TEXT}))}
    paths["/metrics"] = {"get": {"summary": "Figures for Prometheus.", "responses": {"200": _text("text/plain")}}}
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "AnyPiece", "version": __version__, "description": "Tokenizers over HTTP."},
        "paths": paths,
        "components": {"schemas": {"Error": _ERROR}},
    }
    if needs_token:
        found["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"bearer": []}]
    return found


def _operation(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": route.about,
        "tags": list(route.tags),
        "operationId": route.path.strip("/").replace("/", "_"),
        "responses": _responses(route.answer),
    }
    if route.method == "POST":
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": route.request}}}
    return found


def _responses(schema: dict[str, Any]) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    refused = {status: {"description": about, "content": error} for status, about in _REFUSALS.items()}
    return {"200": {"description": "Done.", "content": {"application/json": {"schema": schema}}}, **refused}


def _plain(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"summary": about, "responses": _responses(schema)}


def _text(kind: str) -> dict[str, Any]:
    return {"description": "Done.", "content": {kind: {"schema": TEXT}}}


def _stream() -> dict[str, Any]:
    ids = {"type": "array", "items": INT}
    asked = record({"ids": ids}, {"model": TEXT, "skip_special": {**BOOL, "default": False}})
    content = {"application/json": {"schema": asked}, "application/x-ndjson": {"schema": TEXT}}
    responses = {**_responses(record({})), "200": _text("text/event-stream")}
    body = {"required": True, "content": content}
    return {"summary": "Decode a stream of ids.", "description": _STREAM, "requestBody": body, "responses": responses}


def _upload() -> dict[str, Any]:
    name = {"name": "name", "in": "query", "required": True, "schema": TEXT}
    body = {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
    answer = {"type": "object"}
    about = "Send a tokenizer file; it is kept in memory until others need the place."
    return {"summary": about, "parameters": [name], "requestBody": body, "responses": _responses(answer)}


def _removal() -> dict[str, Any]:
    name = {"name": "name", "in": "path", "required": True, "schema": TEXT}
    about = "Forget a tokenizer that was sent."
    return {"summary": about, "parameters": [name], "responses": _responses(record({"removed": TEXT}))}
