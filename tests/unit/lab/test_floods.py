"""A server of its own under bad clients: resets, half-open connections, pastes, floods, and heads that no library writes.

Beside all of them one client asks short things, and every one of its answers must be right.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

import pytest

import anypiece as ap
from tests.soak.load import Client
from tests.support.serving import Served, head_of

if TYPE_CHECKING:
    from collections.abc import Iterator

BODIES = 24 << 20
"""What all bodies may have together: a leak of a few pastes would fill it."""
PASTE = "unbelievable " * 800_000
MEGA = 1 << 20


class Other:
    """A client that goes on asking short things."""

    def __init__(self, served: Served) -> None:
        self.wrong: list[str] = []
        self.answers, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._asks, args=(served,))
        self._thread.start()

    def _asks(self, served: Served) -> None:
        tok, is_last = ap.load(), False
        try:
            with Client(served) as client:
                while not is_last:
                    is_last = self._stop.wait(0.02)
                    text = f"still here {self.answers}"
                    status, answer = client.ask("/v1/encode", json.dumps({"text": text}).encode())
                    if status != 200 or json.loads(answer)["ids"] != tok.encode(text):
                        self.wrong.append(f"{status} {answer[:100]!r}")
                    self.answers += 1
        except (OSError, ValueError) as error:
            self.wrong.append(str(error))

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    limits = {"head_seconds": 2.0, "body_seconds": 5.0, "waiting": 4, "bodies": BODIES}
    with Served(**limits) as made:
        yield made


@pytest.fixture(autouse=True)
def other(served: Served) -> Iterator[Other]:
    """Nobody else is hurt by what a test does."""
    found = Other(served)
    try:
        yield found
    finally:
        found.stop()
    assert found.wrong == []
    assert found.answers > 0


def reset(connection: socket.socket) -> None:
    """End a connection as a client that crashes does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def rest(connection: socket.socket) -> bytes:
    """All that comes until the server closes."""
    found = b""
    while part := connection.recv(1 << 16):
        found += part
    return found


def asked(served: Served, path: str, value: object) -> tuple[int, bytes]:
    """Status and body of an answer by a connection of its own; ``value`` is written as JSON unless it is bytes."""
    with Client(served) as client:
        return client.ask(path, value if isinstance(value, bytes) else json.dumps(value).encode())


def flood(served: Served, path: str, body: bytes, count: int) -> list[int]:
    """The statuses of requests that are sent at once."""
    codes: list[int] = []
    ready = threading.Barrier(count)

    def one() -> None:
        with Client(served) as client:
            ready.wait(30)
            codes.append(client.ask(path, body)[0])

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return codes


def until_free(served: Served) -> None:
    """Wait until the other client's is the only connection besides the one that asks, and no request is open."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        lines = figures(served)
        if lines["anypiece_connections_open"] <= 2 and all(
            lines[f'anypiece_requests_open{{lane="{lane}"}}'] == 0 for lane in ("long", "slow")
        ):
            return
        time.sleep(0.1)
    raise AssertionError(f"connections or requests stay open: {figures(served)}")


def figures(served: Served) -> dict[str, float]:
    import urllib.request

    with urllib.request.urlopen(served.url + "/metrics", timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_pastes_of_ten_megabytes(served: Served) -> None:
    body = json.dumps({"text": PASTE}).encode()
    assert len(body) > 10_000_000
    expected = ap.load().count(PASTE)
    with Client(served) as client:
        for _ in range(4):
            status, answer = client.ask("/v1/count", body)
            assert (status, json.loads(answer)["count"]) == (200, expected)
    assert asked(served, "/v1/count", b" " * (17 * MEGA))[0] == 413


@pytest.mark.parametrize("path", ["/v1/encode", "/v1/spans"])
def test_short_texts_are_answered_while_a_long_one_runs(served: Served, path: str) -> None:
    """Of a text of 5 MB the answer comes after those of many texts of 40 characters, which were all sent later."""
    done = threading.Event()
    codes: list[int] = []

    def long() -> None:
        codes.append(asked(served, path, {"text": "unbelievable " * 400_000})[0])
        done.set()

    thread = threading.Thread(target=long)
    answers = 0
    with Client(served) as client:
        thread.start()
        while not done.is_set():
            assert client.ask("/v1/count", json.dumps({"text": "w" * 40}).encode())[0] == 200
            answers += not done.is_set()
    thread.join()
    assert codes == [200]
    assert answers >= 5


def test_large_answers_that_nobody_takes_keep_nobody_from_short_ones(served: Served) -> None:
    """As long as too much is held, what may need more is refused, and the rest is answered."""
    body = json.dumps({"text": "unbelievable " * 400_000}).encode()
    nbest = {"text": "unbelievable", "n": 2}
    with served.connect(buffer=8192) as connection:
        connection.sendall(head_of("/v1/spans", len(body)) + body)
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        assert asked(served, "/v1/encode", {"text": "short"})[0] == 200
        assert asked(served, "/v1/nbest", nbest)[0] == 429
        assert asked(served, "/v1/encode", {"text": "a " * MEGA})[0] == 429
        reset(connection)
    until_free(served)
    assert asked(served, "/v1/nbest", nbest)[0] == 200
    assert asked(served, "/v1/encode", {"text": "a " * MEGA})[0] == 200


@pytest.mark.parametrize("path", ["/v1/explain", "/v1/lattice", "/v1/nbest", "/v1/sample"])
def test_pastes_where_only_short_texts_may_be(served: Served, path: str) -> None:
    status, answer = asked(served, path, {"text": PASTE})
    assert status == 413
    assert len(answer) < 1000


def test_clients_that_crash_in_a_body(served: Served) -> None:
    """Ten times what all bodies may have is begun and left: nothing of it stays held."""
    body = head_of("/v1/count", 12 * MEGA) + b'{"text": "' + b"a" * (6 * MEGA)
    for number in range(40):
        connection = served.connect()
        connection.sendall(body)
        if number % 2:
            reset(connection)
        else:
            connection.close()
        if number % 3 == 2:
            until_free(served)
    until_free(served)
    assert asked(served, "/v1/count", {"text": PASTE})[0] == 200


def test_clients_that_crash_before_their_answer(served: Served) -> None:
    body = json.dumps({"text": "word " * 20_000, "details": True}).encode()
    for number in range(60):
        connection = served.connect(buffer=8192)
        connection.sendall(head_of("/v1/spans", len(body)) + body)
        if number % 2:
            connection.recv(100)
        reset(connection)
    until_free(served)


@pytest.mark.parametrize("words", [1, 10_000, 200_000])
def test_a_client_that_closes_its_own_side(served: Served, words: int) -> None:
    """One that has said all of its request has its answer; one that has not is let go."""
    text = "half " * words
    body = json.dumps({"text": text}).encode()
    with served.connect() as connection:
        connection.sendall(head_of("/v1/count", len(body)) + body)
        connection.shutdown(socket.SHUT_WR)
        found = rest(connection)
    assert found.startswith(b"HTTP/1.1 200 ")
    assert json.loads(found.partition(b"\r\n\r\n")[2])["count"] == ap.load().count(text)
    with served.connect() as connection:
        connection.sendall(head_of("/v1/count", len(body) + 1) + body)
        connection.shutdown(socket.SHUT_WR)
        rest(connection)
    until_free(served)


def test_connections_that_say_nothing(served: Served) -> None:
    held = [served.connect() for _ in range(50)]
    until_free(served)
    for connection in held:
        connection.close()


@pytest.mark.parametrize(
    "head",
    [
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 4000 + b"\r\n\r\n",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/count HTTP/1.1\r\n\r\n",
        b"POST /v1/count HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"POST /v1/\x00count HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"POST /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 20_000 + b"\r\n",
        b"\x00" * 70_000,
        b"GET /v1/count",
    ],
)
def test_heads_that_no_library_writes(served: Served, head: bytes) -> None:
    with served.connect() as connection:
        found = b""
        try:
            connection.sendall(head)
            connection.shutdown(socket.SHUT_WR)
            found = rest(connection)
        except OSError:  # it was closed before all of the head was there
            pass
        assert found == b"" or 400 <= int(found[9:12]) < 500, found[:200]


def test_requests_behind_each_other(served: Served) -> None:
    """Pipelined requests are answered in their order."""
    bodies = [json.dumps({"text": "a " * number}).encode() for number in range(1, 9)]
    with Client(served) as client:
        client.connection.sendall(b"".join(head_of("/v1/count", len(body)) + body for body in bodies))
        answers = [json.loads(client.answer()[1])["count"] for _ in bodies]
    assert answers == [ap.load().count("a " * number) for number in range(1, 9)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/v1/explain", {"text": "a" * 300}),
        ("/v1/spans", {"text": "word " * 20_000, "details": True}),
        ("/v1/sample", {"text": "unbelievable", "n": 2000}),
    ],
    ids=["slow", "long", "draws"],
)
def test_floods_are_answered_or_refused(served: Served, path: str, value: object) -> None:
    codes = flood(served, path, json.dumps(value).encode(), 40)
    assert len(codes) == 40
    assert set(codes) <= {200, 429}
    assert 200 in codes
    until_free(served)
    assert asked(served, path, value)[0] == 200


def test_memory_is_as_before_when_it_comes_again(served: Served) -> None:
    """Pastes, floods and crashes over and over: once pools are filled, memory does not grow."""
    paste = json.dumps({"text": "unbelievable " * 200_000}).encode()
    sizes = []
    for _ in range(4):
        flood(served, "/v1/spans", json.dumps({"text": "word " * 40_000, "details": True}).encode(), 12)
        for _ in range(2):
            asked(served, "/v1/encode", paste)
            connection = served.connect()
            connection.sendall(head_of("/v1/encode", len(paste)) + paste)
            reset(connection)
        until_free(served)
        sizes.append(served.settled_memory())
    assert sizes[-1] - sizes[1] < 24 * MEGA, [size // MEGA for size in sizes]
