"""The log: a line for each request that holds no text, no query, no header and no path but those of routes."""

from __future__ import annotations

import json
import logging
import re

import pytest
from starlette.testclient import TestClient

import anypiece as ap
from anypiece.lab.app import application
from anypiece.lab.asked import Lab
from anypiece.lab.models import Models

SECRET = "sesame"
LINE = re.compile(r"(GET|POST|DELETE) (/[\w./{}-]*|other) [1-5]\d\d \d+\.\d ms \d+ B in \d+ B out")


def test_a_line_for_each_request(caplog: pytest.LogCaptureFixture) -> None:
    app = application(Lab(Models({"default": ap.load()})), is_logged=True)
    asked = [
        ("POST", "/v1/encode", {"text": SECRET}),
        ("POST", f"/v1/encode?{SECRET}", {"text": "a", "model": SECRET}),
        ("POST", "/v1/decode/stream", {"ids": [5]}),
        (
            "POST",
            "/tokenize",
            {"messages": [{"role": SECRET, "content": SECRET}], "chat_template": f"{{{{ {SECRET}( }}}}"},
        ),
        ("GET", f"/{SECRET}", None),
        ("DELETE", f"/v1/tokenizers/{SECRET}", None),
        ("GET", f"/page/{SECRET}", None),
        ("GET", "/healthz", None),
    ]
    with TestClient(app) as client, caplog.at_level(logging.INFO, "anypiece.lab"):
        for method, path, value in asked:
            content = None if value is None else json.dumps(value)
            headers = {"Content-Type": "application/json", "X-Note": SECRET, "Authorization": f"Bearer {SECRET}"}
            client.request(method, path, content=content, headers=headers)
    lines = [record.getMessage() for record in caplog.records if record.name == "anypiece.lab.access"]
    assert len(lines) == len(asked)
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert SECRET not in caplog.text
    assert [line.split()[1] for line in lines] == [
        "/v1/encode", "/v1/encode", "/v1/decode/stream", "/tokenize", "other", "/v1/tokenizers/{name}", "/page/{name}",
        "/healthz",
    ]  # fmt: skip
    assert [line.split()[2] for line in lines] == ["200", "404", "200", "422", "404", "404", "404", "200"]


def test_no_line_unless_asked(caplog: pytest.LogCaptureFixture) -> None:
    app = application(Lab(Models({"default": ap.load()})), is_logged=False)
    with TestClient(app) as client, caplog.at_level(logging.INFO, "anypiece.lab"):
        client.post("/v1/encode", json={"text": SECRET})
    assert [record for record in caplog.records if record.name.startswith("anypiece")] == []
