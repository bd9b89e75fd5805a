"""Bad input within one process: hostile vocabularies and texts, and values that lie deep in each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

import anypiece as ap
from anypiece.lab import Limits, application
from anypiece.lab.opening import converted
from tests.support.lab import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}
HOSTILE = [
    "<script>alert(1)</script>", "</textarea><img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "{{ 7 * 7 }}",
    "\n\nevent: done\ndata: 1\n\n", "\r\nSet-Cookie: a=b\r\n", "\u202eabc", "\u2066x", "\x1b[2J", "\x07", "\x7f",
    "\u2028", "\u2029", "\ufeff", "a\u0301\u0302", "\ufffe", "\U000e0041", "\\u0000", "'; --",
]  # fmt: skip
TEXT = " ".join(HOSTILE)


def hostile() -> ap.Tokenizer:
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("<b>bos</b>", 0.0, ap.Kind.CONTROL), (" ", -3.0, ap.Kind.NORMAL)]
    rows += [(piece, -4.0 - number, ap.Kind.NORMAL) for number, piece in enumerate(HOSTILE)]
    rows += [(letter, -20.0, ap.Kind.NORMAL) for letter in "Helowrd" if letter not in HOSTILE]
    plain = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    return ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), bos_id=1, **plain))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    tokenizers = {"default": hostile(), "bare": hostile(), 'a"} 1\nmade_up{b="': hostile()}
    with TestClient(application(tokenizers)) as made:
        yield made


def hostile_body(sample: dict[str, Any]) -> dict[str, Any]:
    """A sample of a route with the hostile text wherever it has a text."""
    found = {**sample}
    if "text" in found:
        found["text"] = TEXT if isinstance(found["text"], str) else [TEXT, *HOSTILE]
    if "prompt" in found:
        found["prompt"] = TEXT
    if "messages" in found:
        found["messages"] = [{"role": "user", "content": TEXT}]
    for name in ("ids", "tokens"):
        if name in found:
            found[name] = list(range(3, 3 + len(HOSTILE)))
    if isinstance(found.get("specials"), list):
        found["specials"] = ["<b>bos</b>"]
    return {name: one for name, one in found.items() if name not in ("start", "end")}


@pytest.mark.parametrize("path", [path for path in SAMPLES if path != "/v1/models"])
def test_a_hostile_vocabulary_is_data_on_every_route(client: TestClient, path: str) -> None:
    for sample in SAMPLES[path]:
        answer = client.post(path, json=hostile_body(sample))
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in answer.headers
        json.loads(answer.text)


def test_hostile_texts_come_back_whole(client: TestClient) -> None:
    found = client.post("/v1/spans", json={"text": TEXT, "details": True}).json()
    assert {row[0] for row in found["vocabulary"]} > set(range(3, 3 + len(HOSTILE)))
    raws = {row[0]: bytes.fromhex(row[2]) for row in found["vocabulary"]}
    assert [raws[3 + number] for number in range(len(HOSTILE))] == [piece.encode() for piece in HOSTILE]
    assert client.post("/v1/decode", json={"ids": found["ids"]}).json()["text"] == TEXT


def test_a_piece_cannot_make_an_event(client: TestClient) -> None:
    ids = list(range(3, 3 + len(HOSTILE)))
    answer = client.post("/v1/decode/stream", json={"ids": ids})
    events = answer.text.removesuffix("\n\n").split("\n\n")
    assert [event.startswith("event: ") for event in events].count(True) == 1
    texts = [json.loads(event.removeprefix("data: "))["text"] for event in events[:-1]]
    assert "".join(texts) == "".join(HOSTILE)
    assert events[-1] == f'event: done\ndata: {{"count":{len(ids)}}}'


def test_a_name_cannot_make_a_figure(client: TestClient) -> None:
    client.post("/v1/encode", json={"text": "Hello", "model": 'a"} 1\nmade_up{b="'})
    lines = client.get("/metrics").text.splitlines()
    assert 'anypiece_tokens_total{model="a\\"} 1\\nmade_up{b=\\""} 5' in lines
    assert not [line for line in lines if not line.startswith(("# ", "anypiece_"))]


def test_a_refusal_that_quotes_is_json(client: TestClient) -> None:
    for piece in HOSTILE:
        for body in ({"text": "a", "model": piece}, {"text": "a", piece: 1}, {"text": "a", "specials": [piece]}):
            answer = client.post("/v1/encode", json=body)
            assert answer.status_code in (400, 404)
            assert answer.headers["content-type"] == "application/json"
            assert answer.json()["error"]["message"]


@pytest.mark.parametrize("opening", [("[", "]"), ("[1,", ",1]"), ('{"a":', "}"), ('[{"a":1},', ",2]")])
@pytest.mark.parametrize("depth", [62, 63, 64, 65, 300, 100_000])
def test_depth(client: TestClient, opening: tuple[str, str], depth: int) -> None:
    """The body is one level, the messages and the message two more: 64 are allowed, whatever stands beside them."""
    inner = opening[0] * depth + "0" + opening[1] * depth
    body = '{"messages":[{"role":"user","content":%s}],"template":"x"}' % inner  # noqa: UP031
    answer = client.post("/v1/chat", content=body.encode(), headers=JSON)
    if depth + 3 <= 64:
        assert answer.status_code == 200, answer.text
    else:
        assert (answer.status_code, answer.json()["error"]["message"]) == (400, "The body is nested too deeply.")


def test_many_lists_beside_each_other_are_not_deep(client: TestClient) -> None:
    assert client.post("/v1/decode", json={"ids": [[3]] * 200}).status_code == 200
    assert client.post("/v1/encode", json={"text": "[" * 200}).status_code == 200


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b"x\n", "not JSON"),
        (b'"3"\n', "line must be array"),
        (b"3\n[1,[2]]\n", "line must be a list of integers"),
        (b"\xff\n", "not UTF-8"),
        (b"9" * 5000 + b"\n", "not JSON"),
        (b"[" * 5000 + b"\n", "nested too deeply"),
        (b"-1\n", "id"),
        (b"3" * (2 << 20), "more than"),
    ],
)
def test_bad_lines_of_a_stream(client: TestClient, lines: bytes, said: str) -> None:
    answer = client.post("/v1/decode/stream", content=lines, headers=LINES)
    last = answer.text.removesuffix("\n\n").split("\n\n")[-1]
    assert last.startswith("event: error\ndata: ")
    assert said.lower() in json.loads(last.partition("data: ")[2])["error"]["message"].lower()


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a' * 1000000000 }}",
        "{% for a in range(9999999) %}{% endfor %}",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
        "{{ " + "-" * 30_000 + "1 }}",
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% include '/etc/passwd' %}",
        "{{ messages.append(1) }}",
        "{% if %}",
    ],
)
def test_templates_that_ask_for_too_much(client: TestClient, template: str) -> None:
    answer = client.post("/v1/chat", json={"messages": [{"role": "user", "content": "a"}], "template": template})
    assert answer.status_code == 422, answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"ANYPIECE" + b"\xff" * 100,
        b"GGUF" + b"\xff" * 100,
        b'{"model": {"type": "BPE", "vocab": {}}}',
    ],
)
def test_files_that_are_none(data: bytes) -> None:
    """What the process that reads a sent file finds; ``test_refusals`` sends some to it."""
    from anypiece import _native

    with pytest.raises((ap.AnyPieceError, _native.NativeError)):
        converted(data)


def test_bounds_on_what_is_asked_have_no_way_around() -> None:
    limits = Limits(body=2000, texts=3, lattice_text=10, explained_text=10)
    with TestClient(application({"default": hostile()}, limits=limits)) as client:
        for path in ("/v1/lattice", "/v1/nbest", "/v1/sample", "/v1/explain"):
            assert client.post(path, json={"text": "\u202e" * 11}).status_code == 413
            assert client.post(path, json={"text": "\u202e" * 10}).status_code == 200
        parts = iter([b'{"text": "', b"a" * 1500, b"a" * 1500, b'"}'])
        assert client.post("/v1/encode", content=parts, headers=JSON).status_code == 413
