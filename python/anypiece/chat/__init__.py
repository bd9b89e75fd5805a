"""Conversations as text and as ids, by the template that a file has for it (extra ``[chat]``: jinja2).

``render`` has the calls and the cache of compiled templates, ``variables`` makes plain data of what the caller passes,
``compiler`` writes code that counts, ``sandbox`` with ``filters`` and ``formatting`` is what templates run in.
``provenance`` is text that knows who wrote it, ``tracing`` the sandbox that keeps that knowledge, ``encoding`` makes ids
of the result, and ``conversation`` has the bodies of the two methods of ``Tokenizer``.
"""

from __future__ import annotations

from .render import chosen, rendered, traced

__all__ = ["chosen", "rendered", "traced"]
