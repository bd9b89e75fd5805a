"""Running the application: a socket, a loop, a log without texts, and an end that lets open requests finish."""

from __future__ import annotations

import ipaddress
import logging
import socket
import sys
from typing import TYPE_CHECKING

import uvicorn

from ..errors import InputError
from .app import application
from .connections import watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from .asked import Lab

__all__ = ["is_loopback", "listening_socket", "run"]

_SWITCH = 0.001
"""Seconds after which a thread that runs Python gives way, so that small requests are not kept by large ones."""
_KEEP_ALIVE = 30
_SHORTEST_TOKEN = 16
_LOCAL = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def run(
    lab: Lab,
    host: str,
    port: int,
    *,
    is_remote: bool = False,
    token: str | None = None,
    is_logged: bool = True,
    ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve until the process is told to stop; ``ready`` hears the address. Beyond this machine only with a token."""
    _refuse(host, is_remote, token)
    listening = listening_socket(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listening.getsockname()[1]}/"
    sys.setswitchinterval(_SWITCH)
    _set_up_log(is_logged)
    hosts = {*_LOCAL, shown.lower()} if is_loopback(host) else None
    open_now: list[uvicorn.Server] = []

    def connections() -> int:
        return len(open_now[0].server_state.connections) if open_now else 0

    app = application(lab, token=token, hosts=hosts, is_logged=is_logged, connections=connections)
    config = uvicorn.Config(
        app, http=watched(lab.limits), ws="none", lifespan="on", loop="asyncio", log_config=None, access_log=False,
        server_header=False, proxy_headers=False, timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=lab.limits.stop_seconds, h11_max_incomplete_event_size=32 << 10,
    )  # fmt: skip
    server = _Server(config, lambda: ready(url))
    open_now.append(server)
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it has begun to listen."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _refuse(host: str, is_remote: bool, token: str | None) -> None:
    if token is not None and len(token) < _SHORTEST_TOKEN:
        message = f"The token must have at least {_SHORTEST_TOKEN} characters."
        raise InputError("argument-value", message, argument="token")
    if is_loopback(host):
        return
    if not is_remote:
        message = f"{host} can be reached from other machines. Say so explicitly (is_remote=True), and give a token."
        raise InputError("argument-value", message, argument="host", value=host)
    if token is None:
        raise InputError("argument-value", "A server that other machines can reach needs a token.", argument="token")


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket of the address, which sends small answers at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY for sockets that name their protocol only; without it an answer waits 40 ms for an ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        message = f"{host}:{port} cannot be listened on: {error.strerror}. Choose another --port, or 0 for any."
        raise InputError("argument-value", message, argument="port", value=port) from None
    return listening


def _set_up_log(is_logged: bool) -> None:
    """Lines on standard error, with the time."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name, level in (("anypiece.lab", logging.INFO if is_logged else logging.ERROR), ("uvicorn", logging.ERROR)):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(level)
