"""Connections: slow, silent and greedy clients are let go, others do not notice, and a stop lets open requests finish."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from anypiece.lab.server import listening_socket
from tests.support.serving import Served, head_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served(head_seconds=1.0, body_seconds=2.0, send_seconds=2.0, connections=40, body=1 << 20) as made:
        yield made


def test_small_answers_are_sent_at_once() -> None:
    """Otherwise the body of each answer waits until the client acknowledges the head: 40 ms by Linux's delayed ACK."""
    found: list[int] = []

    def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def connect() -> None:
        listening = listening_socket("127.0.0.1", 0)
        server = await asyncio.start_server(accepted, sock=listening)
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        await reader.read()
        writer.close()
        server.close()

    asyncio.run(connect())
    assert len(found) == 1
    assert found[0] != 0


def ending(connection: socket.socket) -> bytes:
    """All that comes until the server closes."""
    found = b""
    try:
        while part := connection.recv(1 << 16):
            found += part
    except ConnectionResetError:
        pass
    return found


@pytest.mark.parametrize("said", [b"", b"POST /v1/encode HT", b"POST /v1/encode HTTP/1.1\r\nHost: localhost\r\nX-A: "])
def test_a_head_that_does_not_come(served: Served, said: bytes) -> None:
    with served.connect() as connection:
        connection.sendall(said)
        begun = time.monotonic()
        ending(connection)
        assert time.monotonic() - begun < 15


def test_a_body_that_does_not_come(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(head_of("/v1/encode", 100) + b'{"te')
        assert ending(connection).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_drips(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(head_of("/v1/encode", 100_000))
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < 20:
                connection.sendall(b" ")
                time.sleep(0.1)
        except OSError:
            pass
        assert time.monotonic() - begun < 20
    assert served.post("/v1/count", {"text": "still here"})[0] == 200


def test_an_answer_that_is_not_taken(served: Served) -> None:
    body = json.dumps({"text": "a " * 200_000}).encode()
    before = served.settled_memory()
    held = []
    for _ in range(3):
        connection = served.connect(buffer=8192)
        connection.sendall(head_of("/v1/spans", len(body)) + body)
        held.append(connection)
    time.sleep(1)
    assert served.post("/v1/count", {"text": "others"})[0] == 200
    deadline = time.monotonic() + 90
    while served_connections(served) > 1 and time.monotonic() < deadline:
        time.sleep(0.3)
    assert served_connections(served) <= 1
    for connection in held:
        connection.close()
    assert served.settled_memory() - before < 150 << 20


def served_connections(served: Served) -> int:
    import urllib.request

    with urllib.request.urlopen(served.url + "/metrics", timeout=30) as answer:
        rows = answer.read().decode().splitlines()
    return int(next(row.split()[1] for row in rows if row.startswith("anypiece_connections_open ")))


def test_a_body_that_is_too_long_is_refused_before_it_is_there(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(head_of("/v1/encode", 10 << 20))
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_chunks_that_are_too_long_together(served: Served) -> None:
    with served.connect() as connection:
        head = b"POST /v1/encode HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        for _ in range(20):
            connection.sendall(chunk)
        connection.sendall(b"0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_more_connections_than_allowed_are_closed(served: Served) -> None:
    held = [served.connect() for _ in range(60)]
    time.sleep(0.3)
    assert served_is_alive(served)
    for connection in held:
        connection.close()


def served_is_alive(served: Served) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            return served.post("/v1/count", {"text": "alive"})[0] == 200
        except OSError:
            time.sleep(0.2)
    return False


def test_what_is_no_http(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00" * 50 + b"\r\n\r\n")
        assert b"400" in ending(connection)[:20]


def test_a_stop_lets_an_open_request_finish() -> None:
    served = Served()
    body = json.dumps({"text": "the quick brown fox " * 100_000}).encode()
    answers: list[bytes] = []

    def ask() -> None:
        with served.connect() as connection:
            connection.sendall(
                head_of("/v1/count", len(body)).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + body
            )
            asked.set()
            answers.append(ending(connection))

    asked = threading.Event()
    thread = threading.Thread(target=ask)
    thread.start()
    asked.wait(20)
    assert served.stop(signal.SIGTERM) in (0, -signal.SIGTERM)
    thread.join(30)
    assert answers[0].startswith(b"HTTP/1.1 200 ")
