"""Clients: each has one connection, writes its requests by hand, and checks every answer."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anypiece as ap
from tests.support.serving import head_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from tests.support.serving import Served

__all__ = ["Client", "long_client", "mixed", "timed"]

RECORDED = json.loads(Path(__file__).with_name("vllm.json").read_text("utf-8"))
_LINE = "the quick brown fox jumps über den faulen Hund 你好 世界 naïve 123 4.5 def main(): return x\n"
_WORDS = _LINE.split(" ")


class Client:
    """One connection that is kept."""

    def __init__(self, served: Served) -> None:
        self.connection: socket.socket = served.connect()
        self.rest = b""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it."""
        self.connection.close()

    def ask(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of an answer."""
        self.connection.sendall(head_of(path, len(body)) + body)
        return self.answer()

    def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer."""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        size = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        parts, have = [self.rest], len(self.rest)
        while have < size:
            part = self.connection.recv(1 << 18)
            if not part:
                raise ConnectionError("the server has closed the connection")
            parts.append(part)
            have += len(part)
        whole = b"".join(parts)
        self.rest = whole[size:]
        return int(head[9:12]), whole[:size]

    def _more(self) -> None:
        part = self.connection.recv(1 << 16)
        if not part:
            raise ConnectionError("the server has closed the connection")
        self.rest += part


def text_of(random: random.Random, characters: int) -> str:
    """A text of ``characters`` characters."""
    found = ""
    while len(found) < characters:
        found += random.choice(_WORDS) + " "
    return found[:characters]


def mixed(seed: int) -> Iterator[tuple[str, bytes, Any]]:
    """Requests of all kinds without end, each with what its answer must hold, or None."""
    tok, draw = ap.load(), random.Random(seed)
    while True:
        text = text_of(draw, draw.choice((5, 40, 200, 200, 1000)))
        kind = draw.randrange(20)
        if kind < 8:
            yield "/tokenize", _json(prompt=text), ("tokens", tok.encode(text, add_special=True))
        elif kind < 10:
            asked = draw.choice(RECORDED)
            yield asked["path"], json.dumps(asked["body"]).encode(), None
        elif kind < 13:
            yield "/v1/encode", _json(text=text), ("ids", tok.encode(text))
        elif kind < 15:
            yield "/v1/count", _json(text=[text, "a"]), ("count", [tok.count(text), tok.count("a")])
        elif kind == 15:
            ids = tok.encode(text)
            yield "/v1/decode", _json(ids=ids), ("text", tok.decode(ids))
        elif kind == 16:
            yield "/v1/spans", _json(text=text, unit="utf16", details=True), ("ids", tok.encode(text))
        elif kind == 17:
            yield "/v1/truncate", _json(text=text, n=9), ("text", tok.truncate(text, 9))
        elif kind == 18:
            yield "/v1/nbest", _json(text=text[:40], n=3), None
        else:
            yield "/v1/sample", _json(text=text[:40], n=5, seed=draw.randrange(99)), None


def _json(**values: Any) -> bytes:
    return json.dumps(values).encode()


def long_client(served: Served, stop: threading.Event, done: list[int], wrong: list[str]) -> None:
    """Texts of a megabyte, one after the other."""
    text = text_of(random.Random(len(done)), 1_000_000)
    expected, body = ap.load().count(text), _json(text=text)
    client = Client(served)
    try:
        while not stop.is_set():
            status, answer = client.ask("/v1/encode", body)
            done.append(1)
            if status != 200 or not answer.startswith(b'{"model":"default","count":%d,' % expected):
                wrong.append(f"a long text: {status} {answer[:80]!r}")
    except OSError as error:
        wrong.append(f"a long text: {error}")
    finally:
        client.close()


def timed(served: Served, count: int, wrong: list[str]) -> list[float]:
    """Milliseconds of each of some requests of 200 characters, one after the other."""
    tok, draw = ap.load(), random.Random(5)
    texts = [text_of(draw, 200) for _ in range(50)]
    asked = [
        (_json(prompt=text), b'"tokens":[%s' % b",".join(b"%d" % id for id in tok.encode(text, add_special=True)))
        for text in texts
    ]
    client, found = Client(served), list[float]()
    for number in range(count):
        body, ids = asked[number % len(asked)]
        begun = time.perf_counter()
        status, answer = client.ask("/tokenize", body)
        found.append(1000 * (time.perf_counter() - begun))
        if status != 200 or ids not in answer:
            wrong.append(f"a short text: {status} {answer[:80]!r}")
        time.sleep(0.002)
    client.close()
    return sorted(found)
