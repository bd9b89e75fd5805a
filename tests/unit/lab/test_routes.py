"""Routes: answers equal those of the library, and each request and answer is what the OpenAPI document says."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from starlette.testclient import TestClient

import anypiece
from anypiece.lab import Limits, application
from anypiece.lab.routes import routes
from tests.support.lab import SAMPLES, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    tok = anypiece.load()
    with TestClient(application({"default": tok, "bare": tok.replace(add_dummy_prefix=False)})) as made:
        yield made


def asked(client: TestClient, path: str, **value: Any) -> Any:
    answer = client.post(path, json=value)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_route_has_samples() -> None:
    assert {route.path for route in routes(Limits())} == set(SAMPLES)


@pytest.mark.parametrize("route", routes(Limits()), ids=lambda route: route.path)
def test_requests_and_answers_are_what_the_document_says(client: TestClient, route: Any) -> None:
    document = client.get("/openapi.json").json()
    said = document["paths"][route.path][route.method.lower()]
    schema = said["responses"]["200"]["content"]["application/json"]["schema"]
    for sample in SAMPLES[route.path]:
        if route.method == "POST":
            jsonschema.validate(sample, said["requestBody"]["content"]["application/json"]["schema"])
        answer = client.request(route.method, route.path, json=sample if route.method == "POST" else None)
        assert answer.status_code == 200, answer.text
        jsonschema.validate(answer.json(), schema)


def test_the_document_is_of_openapi() -> None:
    with TestClient(application({"default": anypiece.load()}, token="0123456789abcdef")) as client:
        found = client.get("/openapi.json", headers={"Authorization": "Bearer 0123456789abcdef"}).json()
    assert found["openapi"] == "3.1.0"
    assert found["security"] == [{"bearer": []}]
    for path in found["paths"].values():
        for operation in path.values():
            assert operation["summary"].endswith(".")
            for answer in operation["responses"].values():
                assert answer["description"]


def test_ids_are_those_of_the_library(client: TestClient) -> None:
    tok = anypiece.load()
    assert asked(client, "/v1/encode", text=TEXT)["ids"] == tok.encode(TEXT)
    assert asked(client, "/v1/encode", text=[TEXT, "a"], add_special=True)["ids"] == [
        tok.encode(TEXT, add_special=True),
        tok.encode("a", add_special=True),
    ]
    assert asked(client, "/v1/decode", ids=[tok.encode(TEXT), [5]])["text"] == [
        tok.decode(tok.encode(TEXT)),
        tok.decode([5]),
    ]
    assert asked(client, "/v1/count", text=TEXT)["count"] == tok.count(TEXT)
    assert asked(client, "/v1/truncate", text=TEXT, n=3)["text"] == tok.truncate(TEXT, 3)
    assert asked(client, "/v1/split", text=TEXT, n=6)["parts"] == tok.split(TEXT, 6)


@pytest.mark.parametrize(
    ("changes", "around"),
    [
        ({}, (1, 2)),
        ({"bos_id": None}, ()),
        ({"eos_id": None}, ()),
        ({"bos_id": None, "eos_id": None}, ()),
        ({"add_bos": False}, (2,)),
        ({"add_bos": False, "bos_id": None}, (2,)),
        ({"add_eos": False, "eos_id": None}, (1,)),
    ],
)
def test_vllm_puts_around_what_the_file_says(changes: dict[str, Any], around: tuple[int, ...]) -> None:
    """A file that lacks what is to be put around gets nothing: rank files know no bos, and their eos ends documents."""
    tok = anypiece.load().replace(**changes)
    with TestClient(application({"default": tok})) as client:
        for more in ({}, {"add_special_tokens": True}):
            found = asked(client, "/tokenize", prompt="Hi", **more)["tokens"]
            plain = tok.encode("Hi")
            assert found == [*(id for id in around if id == 1), *plain, *(id for id in around if id == 2)]
        assert asked(client, "/tokenize", prompt="Hi", add_special_tokens=False)["tokens"] == plain


@pytest.mark.parametrize("unit", ["char", "byte", "utf16"])
def test_spans_count_what_is_asked_for(client: TestClient, unit: str) -> None:
    found = asked(client, "/v1/spans", text=TEXT, unit=unit, details=True)
    encoding = {"char": "utf-32-le", "byte": "utf-8", "utf16": "utf-16-le"}[unit]
    raw, width = TEXT.encode(encoding), {"char": 4, "byte": 1, "utf16": 2}[unit]
    rows = {row[0]: row for row in found["vocabulary"]}
    tokens = anypiece.load().encode_spans(TEXT)
    assert found["ids"] == [token.id for token in tokens]
    for token, start, end in zip(tokens, found["starts"], found["ends"], strict=True):
        assert raw[start * width : end * width].decode(encoding) == TEXT[token.start : token.end]
        assert rows[token.id][4] in ("normal", "byte")
        if rows[token.id][4] == "byte":
            assert len(bytes.fromhex(rows[token.id][2])) == 1


def test_probabilities_are_those_of_the_lattice(client: TestClient) -> None:
    lattice = anypiece.load().lattice("Hello world")
    found = asked(client, "/v1/lattice", text="Hello world", alpha=0.3)
    assert found["edges"]["marginals"] == pytest.approx(lattice.marginals(0.3).tolist(), abs=1e-8)
    assert found["best"] == list(lattice.viterbi().edges)
    assert found["entropy"] == pytest.approx(lattice.entropy(0.3))
    paths = asked(client, "/v1/nbest", text="Hello", n=1000, alpha=0.3)["paths"]
    assert sum(path["probability"] for path in paths) == pytest.approx(1.0)


def test_draws_are_those_of_the_library_and_fit_their_probabilities(client: TestClient) -> None:
    tok = anypiece.load()
    found = asked(client, "/v1/sample", text="Hello", n=2000, alpha=0.2, seed=5)
    drawn = [tuple(tok.sample("Hello", 0.2, seed=5, index=index)) for index in range(2000)]
    assert found["draws"][0]["count"] == max(map(drawn.count, set(drawn)))
    assert found["different"] == len(set(drawn))
    for row in found["draws"][:5]:
        share, chance = row["count"] / 2000, row["probability"]
        assert abs(share - chance) < 5 * math.sqrt(chance * (1 - chance) / 2000)


def test_compare_marks_what_is_shared(client: TestClient) -> None:
    found = asked(client, "/v1/compare", text="to be", models=["default", "bare"])
    for column in found["models"]:
        places = set(column["starts"]) | set(column["ends"])
        assert set(found["common"]) <= places
        assert column["own_boundaries"] == len(places - set(found["common"]))
        assert column["round_trip"]


def test_explain_has_the_steps_of_the_library(client: TestClient) -> None:
    found = asked(client, "/v1/explain", text="Hello")
    assert found["steps"] == json.loads(json.dumps(anypiece.load().explain("Hello").steps.to_json()))


def test_a_stream_gives_the_text_as_it_is_complete(client: TestClient) -> None:
    ids = anypiece.load().encode(TEXT)
    whole = client.post("/v1/decode/stream", json={"ids": ids})
    lines = client.post(
        "/v1/decode/stream",
        content="\n".join([*map(str, ids[:4]), json.dumps(ids[4:])]),
        headers={"Content-Type": "application/x-ndjson"},
    )
    for answer in (whole, lines):
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [event.split("\n") for event in answer.text.strip().split("\n\n")]
        texts = [json.loads(event[0].removeprefix("data: "))["text"] for event in events[:-1]]
        assert "".join(texts) == anypiece.load().decode(ids)
        assert events[-1] == ["event: done", f'data: {{"count":{len(ids)}}}']
    assert len(whole.text.split("\n\n")) > 6


def test_a_stream_ends_with_what_is_wrong(client: TestClient) -> None:
    answer = client.post("/v1/decode/stream", json={"ids": [5, 10**8]})
    assert answer.text.endswith("\n\n")
    assert "event: error" in answer.text
    assert "id-out-of-range" in answer.text


def test_half_a_surrogate_pair_goes_through(client: TestClient) -> None:
    found = client.post(
        "/v1/split", content=b'{"text": "a\\ud800b", "n": 5}', headers={"Content-Type": "application/json"}
    )
    assert "".join(found.json()["parts"]) == "a\ud800b"


def test_a_tokenizer_that_is_sent_is_kept_and_forgotten(client: TestClient) -> None:
    data = (anypiece.io.paths.default_path()).read_bytes()
    binary = {"Content-Type": "application/octet-stream"}
    made = client.post("/v1/tokenizers?name=mine", content=data, headers=binary)
    assert made.status_code == 201
    assert made.json()["fingerprint"] == anypiece.load().replace().fingerprint
    assert asked(client, "/v1/encode", text=TEXT, model="mine")["ids"] == anypiece.load().encode(TEXT)
    assert client.delete("/v1/tokenizers/mine").json() == {"removed": "mine"}
    assert client.post("/v1/encode", json={"text": "a", "model": "mine"}).status_code == 404
    assert client.delete("/v1/tokenizers/mine").status_code == 404
    assert client.delete("/v1/tokenizers/default").status_code == 403
    assert client.post("/v1/tokenizers?name=default", content=data, headers=binary).status_code == 409


def test_figures_and_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    client.post("/v1/encode", json={"text": "a secret"})
    text = client.get("/metrics").text
    assert 'anypiece_requests_total{route="/v1/encode",status="200"}' in text
    assert 'anypiece_tokens_total{model="default"}' in text
    assert "secret" not in text
    client.get("/made/up/by/a/client")
    assert "made/up" not in client.get("/metrics").text
