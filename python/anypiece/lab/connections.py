"""Connections that say nothing, say it too slowly, or do not take their answer, are closed: uvicorn's protocol with a watch.

uvicorn itself bounds only the time between requests of one connection.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import Limits

__all__ = ["watched"]

_LOOK = 1.0
_GRACE = 5.0
"""After the application's own time for a body, which ends with an answer."""


class _Watched(H11Protocol):
    """A connection whose phases have an end. Each ``since`` is when a phase began that goes on."""

    limits = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.head_since: float | None = self.loop.time()
        self.body_since: float | None = None
        self.left_since: float | None = None
        self.stuck: tuple[int, float] = (0, self.loop.time())
        self.watch: asyncio.TimerHandle | None = self.loop.call_later(_LOOK, self.look)
        if len(self.connections) > self.limits.connections:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.watch is not None:
            self.watch.cancel()
            self.watch = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        now, state = self.loop.time(), self.conn.their_state
        if state is h11.IDLE:
            self.head_since = self.head_since or now
        else:
            self.head_since = None
        self.body_since = now if state is h11.SEND_BODY else None

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to go on: a client that has said all of its request, and closes its own side, waits for the answer."""
        waits = self.cycle is not None and not self.cycle.response_complete and self.conn.their_state is h11.DONE
        if waits:
            self.cycle.keep_alive = False
        return waits

    def look(self) -> None:
        """Close what takes too long, or look again."""
        self.watch = None
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            return
        if self.is_late(self.loop.time()):
            self.transport.abort()
        else:
            self.watch = self.loop.call_later(_LOOK, self.look)

    def is_late(self, now: float) -> bool:
        """Whether a phase has lasted too long."""
        limits = self.limits
        if self.head_since is not None and now - self.head_since > limits.head_seconds:
            return True
        paused = self.flow.read_paused
        if self.body_since is not None and not paused and now - self.body_since > limits.body_seconds + _GRACE:
            return True
        answered = self.cycle is not None and self.cycle.response_complete
        if answered and self.conn.their_state is h11.SEND_BODY:
            self.left_since = self.left_since or now
            if now - self.left_since > limits.body_seconds:
                return True
        else:
            self.left_since = None
        waiting = self.transport.get_write_buffer_size()
        if waiting == 0 or waiting != self.stuck[0]:
            self.stuck = (waiting, now)
        return now - self.stuck[1] > limits.send_seconds


def watched(limits: Limits) -> type[Any]:
    """The class of connections with these bounds."""
    return type("Watched", (_Watched,), {"limits": limits})
