"""Refusals: bad requests get the right status and a message that helps, and nobody else is hurt."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

import anypiece
from anypiece.lab import Limits, application
from anypiece.lab.asked import Lab
from anypiece.lab.lanes import Lane
from anypiece.lab.models import Models
from anypiece.lab.opening import opened
from anypiece.lab.refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

JSON = {"Content-Type": "application/json"}
TOK = anypiece.load()
LIMITS = Limits(body=20_000, texts=10, lattice_text=100, explained_text=100, paths=50, draws=100, work=5000, depth=16)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application({"default": TOK}, limits=LIMITS)) as made:
        yield made


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/v1/encode", b"{", 400, "not JSON"),
        ("/v1/encode", b"", 400, "not JSON"),
        ("/v1/encode", b"\xff\xfe", 400, "not UTF-8"),
        ("/v1/encode", b'{"text": NaN}', 400, "not JSON"),
        ("/v1/encode", b"[" * 9000, 400, "nested too deeply"),
        ("/v1/encode", b'{"a":' * 1500 + b"1" + b"}" * 1500, 400, "nested too deeply"),
        ("/v1/encode", b'{"text": "a", "n": ' + b"9" * 9000 + b"}", 400, "not"),
        ("/v1/encode", b"[]", 400, "must be object, not array"),
        ("/v1/encode", b"{}", 400, "text is missing"),
        ("/v1/encode", b'{"text": 5}', 400, "must be string or array"),
        ("/v1/encode", b'{"text": ["a", 5]}', 400, "text[1] must be string"),
        ("/v1/encode", b'{"text": "a", "texts": 1}', 400, "texts is not known"),
        ("/v1/encode", b'{"text": "a", "path": "/etc/passwd"}', 400, "path is not known"),
        ("/v1/encode", b'{"text": "a", "model": "/etc/passwd"}', 404, "does not exist"),
        ("/v1/encode", b'{"text": "a", "specials": "maybe"}', 400, "must be one of"),
        ("/v1/encode", b'{"text": "a", "specials": ["<no>"]}', 400, "is not a control piece"),
        ("/v1/encode", json.dumps({"text": ["a"] * 11}).encode(), 413, "at most 10"),
        ("/v1/encode", json.dumps({"text": "a" * 30_000}).encode(), 413, "more than 20,000 bytes"),
        ("/v1/decode", b'{"ids": [1, "2"]}', 400, "list of integers"),
        ("/v1/decode", b'{"ids": [1, true]}', 400, "list of integers"),
        ("/v1/decode", b'{"ids": [-1]}', 400, "id"),
        ("/v1/decode", b'{"ids": [99999999999999999999]}', 400, "id"),
        ("/v1/decode", b'{"ids": [64000]}', 400, "64000"),
        ("/v1/truncate", b'{"text": "a", "n": -1}', 400, "at least 0"),
        ("/v1/split", b'{"text": "a", "n": 2, "overlap": 2}', 400, "less than n"),
        ("/v1/lattice", json.dumps({"text": "a" * 101}).encode(), 413, "at most 100"),
        ("/v1/lattice", b'{"text": "a", "alpha": -1}', 400, "at least 0"),
        ("/v1/nbest", b'{"text": "a", "n": 51}', 413, "at most 50"),
        ("/v1/sample", b'{"text": "a", "n": 101}', 413, "at most 100"),
        ("/v1/sample", json.dumps({"text": "a" * 99, "n": 99}).encode(), 413, "at most 5,000"),
        ("/v1/explain", json.dumps({"text": "a" * 101}).encode(), 413, "at most 100"),
        ("/v1/compare", b'{"text": "a", "models": ["default"]}', 400, "at least 2"),
        ("/v1/compare", json.dumps({"text": "a", "models": ["a"] * 7}).encode(), 413, "at most 6"),
        ("/v1/compare", b'{"text": "a", "models": ["default", "default"]}', 400, "twice"),
        ("/v1/chat", b'{"messages": []}', 422, "template"),
        ("/v1/chat", b'{"messages": [], "template": "{% for a in range(99999999) %}{% endfor %}"}', 422, ""),
        ("/v1/chat", b'{"messages": [], "template": "{{ \'\'.__class__.__mro__ }}"}', 422, ""),
        ("/tokenize", b"{}", 400, "prompt or messages"),
        ("/tokenize", b'{"prompt": "a", "messages": []}', 400, "not both"),
        ("/tokenize", b'{"messages": [], "continue_final_message": true}', 501, "not supported"),
        ("/v1/decode/stream", b'{"ids": 5}', 400, "array"),
    ],
)  # fmt: skip
def test_bad_requests(client: TestClient, path: str, body: bytes, status: int, said: str) -> None:
    answer = client.post(path, content=body, headers=JSON)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, status), error
    assert said in error["message"]
    assert error["type"].endswith("Error")
    assert len(answer.content) < 1000


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/v1/encode", {"Content-Type": "text/plain"}, 415),
        ("POST", "/v1/encode", {}, 415),
        ("POST", "/v1/encode", {"Content-Type": "application/json; charset=latin-1"}, 415),
        ("POST", "/v1/encode", {"Content-Type": "multipart/form-data"}, 415),
        ("POST", "/v1/decode/stream", {"Content-Type": "text/plain"}, 415),
        ("POST", "/v1/tokenizers?name=a", JSON, 415),
        ("GET", "/v1/encode", {}, 405),
        ("PUT", "/healthz", {}, 405),
        ("GET", "/nothing", {}, 404),
        ("GET", "/page/nothing.js", {}, 404),
        ("GET", "/page/..%2fapp.py", {}, 404),
        ("GET", "/page/%2e%2e/app.py", {}, 404),
    ],
)
def test_wrong_types_methods_and_paths(client: TestClient, method: str, path: str, headers: Any, status: int) -> None:
    answer = client.request(method, path, content=b"{}" if method == "POST" else None, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == status


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"not a tokenizer", "format-unknown"),
        (b'{"version": "1.0", "model": ' + b"[" * 100_000, None),
    ],
)
def test_bad_files(client: TestClient, data: bytes, reason: str | None) -> None:
    answer = client.post("/v1/tokenizers?name=bad", content=data, headers={"Content-Type": "application/octet-stream"})
    assert answer.status_code == 422
    assert reason is None or answer.json()["error"]["reason"] == reason
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["default"]


def test_a_file_that_takes_too_much_memory_is_refused() -> None:
    data = anypiece.io.paths.default_path().read_bytes()
    with pytest.raises(Refused) as refused:
        opened(data, Limits(upload_memory=64 << 20))
    assert refused.value.status == 422


def test_bad_names_of_files(client: TestClient) -> None:
    for name in ("", "a/b", "..", "a" * 65, "<script>", "é"):
        answer = client.post(
            "/v1/tokenizers",
            params={"name": name},
            content=b"x",
            headers={"Content-Type": "application/octet-stream"},
        )
        assert answer.status_code == 400


def test_what_is_sent_makes_room() -> None:
    models = Models({"own": TOK}, uploads=2)
    for name in ("a", "b"):
        models.add(name, TOK, 1)
    models.get("a")
    models.add("c", TOK, 1)
    assert [model.name for model in models.all()] == ["own", "a", "c"]


def test_a_token_is_asked_for() -> None:
    with TestClient(application({"default": TOK}, token="0123456789abcdef")) as client:
        for value in (None, "Bearer wrong", "Basic 0123456789abcdef", "Bearer", "Bearer 0123456789abcdeF"):
            headers = {} if value is None else {"Authorization": value}
            answer = client.post("/v1/encode", json={"text": "a"}, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        good = {"Authorization": "Bearer 0123456789abcdef"}
        assert client.post("/v1/encode", json={"text": "a"}, headers=good).status_code == 200
        assert client.get("/metrics").status_code == 401
        assert client.get("/healthz").status_code == 200
        assert client.get("/").status_code == 200


def test_other_names_of_hosts_are_refused() -> None:
    from anypiece.lab.app import application as made

    app = made(Lab(Models({"default": TOK})), hosts={"localhost", "127.0.0.1"})
    with TestClient(app) as client:
        assert client.get("/healthz", headers={"Host": "localhost:9"}).status_code == 200
        assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 421


def test_a_full_lane_refuses_and_recovers() -> None:
    limits = Limits(waiting=1)
    tok, gate = TOK, threading.Event()

    class Slow:
        spec, vocab_size, _origin = tok.spec, tok.vocab_size, tok._origin

        def explain(self, *arguments: Any, **options: Any) -> Any:
            gate.wait(20)
            return tok.explain(*arguments, **options)

    with (
        TestClient(application({"slow": Slow()}, limits=limits)) as client,  # type: ignore[dict-item]
        ThreadPoolExecutor(12) as pool,
    ):
        asked = [pool.submit(client.post, "/v1/explain", json={"text": "a", "steps": False}) for _ in range(12)]
        wait(asked, timeout=20, return_when=FIRST_COMPLETED)
        assert client.get("/healthz").status_code == 200
        gate.set()
        answers = [one.result() for one in asked]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused
        assert all(answer.headers["retry-after"] == "1" for answer in refused)
        assert {answer.status_code for answer in answers} == {200, 429}
        assert client.post("/v1/explain", json={"text": "a", "steps": False}).status_code == 200


def test_who_waited_too_long_is_refused() -> None:
    async def asked() -> list[object]:
        lane = Lane("slow", 1, 5, patience=0.05)
        found = await asyncio.gather(*(lane.run(lambda: time.sleep(0.2)) for _ in range(3)), return_exceptions=True)
        lane.close()
        return found

    first, *others = asyncio.run(asked())
    assert first is None
    assert [other.status for other in others if isinstance(other, Refused)] == [429, 429]


def test_pages_carry_the_policy(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    again = client.get("/", headers={"If-None-Match": client.get("/").headers["etag"]})
    assert again.status_code == 304


def test_an_error_that_nobody_foresaw_tells_no_text(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        spec, vocab_size, _origin = TOK.spec, 5, None

        def encode_array(self, text: str, **options: Any) -> Any:
            raise RuntimeError(text)

    with TestClient(application({"broken": Broken()})) as broken:  # type: ignore[dict-item]
        answer = broken.post("/v1/encode", json={"text": "a secret"})
    assert answer.status_code == 500
    assert "secret" not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text
