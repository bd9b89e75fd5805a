"""Decoding as server-sent events: ids come in one list or in lines, and each stretch of text leaves when it is complete."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from ..errors import AnyPieceError
from .bodies import Gone
from .refusals import Refused, refusal_of
from .schemas import BOOL, INT, TEXT, array, checked, record
from .wire import parsed, written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from ..text.streams import StreamDecoder
    from .asked import Lab

__all__ = ["REQUEST", "Events", "events_of_ids", "events_of_lines"]

REQUEST = record({"ids": array(INT, maxItems=1_000_000)}, {"model": TEXT, "skip_special": {**BOOL, "default": False}})
_STEP = 64
_LINE = 1 << 20


class Events:
    """An answer of events. It leaves the body of the request to those who make them."""

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        self.events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for event in self.events:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def events_of_ids(lab: Lab, asked: dict[str, Any]) -> AsyncIterator[bytes]:
    """The events for ids that are all there. Other requests have their turn between any 64 of them."""
    stream = lab.model(asked).tokenizer.stream_decoder(skip_special=asked["skip_special"])
    ids = asked["ids"]
    try:
        for start in range(0, len(ids), _STEP):
            texts = [stream.push(id) for id in ids[start : start + _STEP]]
            found = b"".join(_event({"text": text}) for text in texts if text)
            if found:
                yield found
            await asyncio.sleep(0)
        yield _end(stream, len(ids))
    except AnyPieceError as error:
        yield _failed(error)


async def events_of_lines(lab: Lab, request: Request, asked: dict[str, Any]) -> AsyncIterator[bytes]:
    """The events for lines of JSON, each an id or a list of ids, as they come."""
    stream = lab.model(asked).tokenizer.stream_decoder(skip_special=asked["skip_special"])
    rest, count = b"", 0
    try:
        async for part in _parts(request, lab.limits.body_seconds):
            *lines, rest = (rest + part).split(b"\n")
            if len(rest) > _LINE:
                raise Refused(413, f"A line has more than {_LINE:,} bytes.")
            for line in lines:
                ids = _line(line)
                count += len(ids)
                text = stream.push(ids)
                if text:
                    yield _event({"text": text})
        ids = _line(rest)
        text = stream.push(ids)
        if text:
            yield _event({"text": text})
        yield _end(stream, count + len(ids))
    except (AnyPieceError, Refused) as error:
        yield _failed(error)
    except Gone:
        return


async def _parts(request: Request, seconds: float) -> AsyncIterator[bytes]:
    while True:
        try:
            message = await asyncio.wait_for(request.receive(), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            raise Refused(408, f"No line came within {seconds:g} seconds.") from None
        if message["type"] == "http.disconnect":
            raise Gone
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


def _line(line: bytes) -> list[int]:
    if not line.strip():
        return []
    value = parsed(line, 2)
    if type(value) is int:
        return [value]
    found: list[int] = checked(array(INT), value, "line")
    return found


def _event(value: dict[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + written(value) + b"\n\n"


def _end(stream: StreamDecoder, count: int) -> bytes:
    rest = stream.flush()
    return (_event({"text": rest}) if rest else b"") + _event({"count": count}, "done")


def _failed(error: Exception) -> bytes:
    refused = refusal_of(error) or Refused(500, "The server failed.")
    return b"event: error\ndata: " + json.dumps(refused.body()).encode() + b"\n\n"
