"""The numbers that bound what one client can ask of the server. Each has a test that goes over it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """What a request, a connection and all of them together may have; beyond it the answer is 413, 429 or 408.

    Sizes are bytes, texts characters, times seconds.

    >>> Limits(body=1000).body, Limits().waiting
    (1000, 64)
    """

    body: int = 16 << 20
    """Of the body of a request."""
    bodies: int = 256 << 20
    """Of all bodies and answers that are held at once; beyond it only short requests are answered."""
    texts: int = 4096
    """How many texts one request may have."""
    lattice_text: int = 10_000
    """Of a text whose lattice is made, of which paths are listed or drawn."""
    lattice_edges: int = 20_000
    """How many edges an answer lists."""
    explained_text: int = 2_000
    """Of a text that is explained."""
    paths: int = 1_000
    """How many paths are listed."""
    draws: int = 10_000
    """How many draws one request makes."""
    work: int = 2_000_000
    """Of draws times characters, and of listed paths times characters."""
    compared: int = 6
    """How many tokenizers are compared."""
    depth: int = 64
    """How deep the values of a request may lie in each other."""
    upload: int = 64 << 20
    """Of a tokenizer file that is sent."""
    uploads: int = 8
    """How many tokenizers that were sent are kept; the one that was not used for longest makes room."""
    upload_memory: int = 4 << 30
    """Of the process that reads a file that was sent."""
    upload_seconds: int = 60
    """Of the processor, for such a process."""
    instant: int = 2 << 10
    """A body of at most this many bytes is worked on at once, unless its tokenizer may be one that a client sent: handing it
    to a thread takes longer than the work."""
    short: int = 16 << 10
    """A body of at most this many bytes is quick work."""
    waiting: int = 64
    """How many requests may wait in a lane; those that are small may be four times as many."""
    patience: float = 15.0
    """How long a request may wait in a lane; one that waited longer is refused when its turn comes."""
    connections: int = 512
    """How many connections are open at once; one more is closed."""
    head_seconds: float = 10.0
    """Until a request has begun and its head is there."""
    body_seconds: float = 30.0
    """Until the body of a request is there."""
    send_seconds: float = 30.0
    """Without a byte of an answer being taken."""
    stop_seconds: int = 10
    """For open requests, once the server is told to stop."""
