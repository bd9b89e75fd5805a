"""The lab: tokenizers over HTTP, and a page that shows every step (extra ``[lab]``).

``anypiece serve`` runs it. ``application`` is the ASGI application alone, for servers of one's own. The routes are in
``routes``, and what they answer in ``texts``, ``paths`` and ``views``; ``lanes`` decides who waits for whom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import extra_missing
from .asked import Lab
from .limits import Limits
from .models import Models

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp

    from ..tokenizer import Tokenizer

__all__ = ["Lab", "Limits", "Models", "application", "serve"]


def application(
    tokenizers: Mapping[str, Tokenizer], *, limits: Limits | None = None, token: str | None = None
) -> ASGIApp:
    """The ASGI application that serves these tokenizers by their names; the first is meant where none is named.

    >>> import anypiece
    >>> from starlette.testclient import TestClient
    >>> with TestClient(application({"default": anypiece.load()})) as client:
    ...     client.post("/v1/count", json={"text": "Hello world"}).json()
    {'model': 'default', 'count': 3}
    """
    _refuse_without_extra()
    from . import app

    return app.application(_lab(tokenizers, limits), token=token)


def serve(tokenizers: Mapping[str, Tokenizer], *, limits: Limits | None = None, **options: Any) -> None:
    """Serve until the process is told to stop; ``options`` are those of ``lab.server.run``: host, port, token."""
    _refuse_without_extra()
    from . import server

    server.run(_lab(tokenizers, limits), options.pop("host", "127.0.0.1"), options.pop("port", 8080), **options)


def _lab(tokenizers: Mapping[str, Tokenizer], limits: Limits | None) -> Lab:
    bounds = limits or Limits()
    return Lab(Models(tokenizers, bounds.uploads), bounds)


def _refuse_without_extra() -> None:
    for package in ("starlette", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            raise extra_missing("The server", package, "lab") from None
