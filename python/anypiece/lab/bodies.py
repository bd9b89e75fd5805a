"""The bodies of requests: read within a time, up to a size, and all of them together up to another."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from .refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from starlette.requests import Request
    from starlette.types import Receive

    from .limits import Limits

__all__ = ["Bodies", "Gone", "content_type", "in_time"]

Result = TypeVar("Result")


class Gone(Exception):
    """The client has gone before its request was there."""


class Bodies:
    """What all bodies that are held have together."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.held = limits, 0

    async def read(self, request: Request, most: int) -> bytes:
        """The body of a request. Whoever reads it gives it back with ``release``."""
        told = request.headers.get("content-length", "")
        if told.isdigit() and int(told) > most:
            raise _too_large(most)
        read = _Reading(self, request.receive, most)
        try:
            return await in_time(read.all(), self.limits.body_seconds)
        except (asyncio.TimeoutError, TimeoutError):
            self.release(read.size)
            message = f"The body was not there within {self.limits.body_seconds:g} seconds."
            raise Refused(408, message, headers={"Connection": "close"}) from None
        except BaseException:
            self.release(read.size)
            raise

    def take(self, size: int, whole: int) -> None:
        """Hold ``size`` more bytes of a body of which ``whole`` are there then, or refuse to. Short ones are always held, so
        that large ones keep nobody from them; connections bound how many these are.
        """
        if whole > self.limits.short:
            self.check(size)
        self.held += size

    def check(self, size: int = 0) -> None:
        """Refuse more if it is too much already."""
        if self.held + size > self.limits.bodies:
            message = "The server holds too many large requests and answers now. Try again soon."
            raise Refused(429, message, headers={"Retry-After": "2"})

    def release(self, size: int) -> None:
        """Hold fewer."""
        self.held -= size


class _Reading:
    """One body, and how much of it is there."""

    def __init__(self, bodies: Bodies, receive: Receive, most: int) -> None:
        self.bodies, self.receive, self.most = bodies, receive, most
        self.size = 0

    async def all(self) -> bytes:
        parts: list[bytes] = []
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise Gone
            part = message.get("body", b"")
            if self.size + len(part) > self.most:
                raise _too_large(self.most)
            if part:
                self.bodies.take(len(part), self.size + len(part))
                self.size += len(part)
                parts.append(part)
            if not message.get("more_body", False):
                return parts[0] if len(parts) == 1 else b"".join(parts)


async def in_time(work: Coroutine[Any, Any, Result], seconds: float) -> Result:
    """The result of ``work``, or a ``TimeoutError``; where Python can bound a stretch of code, without a task of its own."""
    if sys.version_info >= (3, 11):
        async with asyncio.timeout(seconds):
            return await work
    return await asyncio.wait_for(work, seconds)


def _too_large(most: int) -> Refused:
    return Refused(413, f"The body has more than {most:,} bytes, the most that is allowed.")


def content_type(request: Request) -> str:
    """The type of a body without its parameters; another charset than UTF-8 is refused."""
    kind, _, rest = request.headers.get("content-type", "").partition(";")
    name, _, value = rest.strip().partition("=")
    if name.strip().lower() == "charset" and value.strip(' "').lower() not in ("utf-8", "utf8"):
        raise Refused(415, "The charset must be utf-8.")
    return kind.strip().lower()
