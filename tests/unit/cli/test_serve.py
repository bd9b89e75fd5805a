"""``anypiece serve``: what it refuses before it listens, and what it does when it runs."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.data import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.shell import Shell


def test_other_machines_need_a_flag_and_a_token(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANYPIECE_TOKEN", raising=False)
    refused = shell("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 3
    assert "--remote" in refused.err or "explicitly" in refused.err
    refused = shell("serve", "--host", "0.0.0.0", "--port", "0", "--remote")
    assert refused.code == 3
    assert "token" in refused.err
    monkeypatch.setenv("ANYPIECE_TOKEN", "short")
    refused = shell("serve", "--host", "0.0.0.0", "--port", "0", "--remote")
    assert refused.code == 3
    assert "at least 16" in refused.err


def test_names_must_differ(shell: Shell) -> None:
    assert shell("serve", "-t", "a=default", "-t", "a=default").code == 2


def test_a_port_that_is_taken(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = shell("serve", "--port", str(taken.getsockname()[1]))
    assert refused.code == 3
    assert "--port" in refused.err


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the address that it says."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment}
    command = [sys.executable, "-m", "anypiece", "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            found = re.search(r"on http://[^:]+:(\d+)/$", process.stderr.readline().strip())
            assert found is not None
            yield process, f"http://127.0.0.1:{found[1]}"
        finally:
            if process.poll() is None:
                process.kill()


def status(url: str, value: Any = None, **headers: str) -> int:
    data = None if value is None else json.dumps(value).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_two_tokenizers_a_log_and_an_end(shell: Shell) -> None:
    path = shell.folder / "tok.model"
    with running("-t", f"small={path}", "-t", "default") as (process, url):
        assert status(url + "/v1/encode", {"text": "secret", "model": "small"}) == 200
        assert status(url + "/v1/encode", {"text": "secret", "model": "default"}) == 200
        assert status(url + "/v1/encode", {"text": "secret", "model": str(path)}) == 404
        assert status(url + "/") == 200
        assert status(url + "/healthz", Host="elsewhere.example") == 421
        process.send_signal(signal.SIGTERM)
        out, log = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    assert out == ""
    assert len(log.splitlines()) == 5
    assert "POST /v1/encode 200" in log
    assert "secret" not in log + out


def test_another_address_with_a_token_and_no_log(tmp_path: Path) -> None:
    (tmp_path / "token.txt").write_text("0123456789abcdef\n", "utf-8")
    token = ("--token-file", str(tmp_path / "token.txt"))
    with running("--host", "0.0.0.0", "--remote", "--quiet", "--max-body", "1k", *token) as (process, url):
        assert status(url + "/v1/count", {"text": "a"}) == 401
        bearer = {"Authorization": "Bearer 0123456789abcdef"}
        assert status(url + "/v1/count", {"text": "a"}, **bearer) == 200
        assert status(url + "/v1/count", {"text": "a" * 2000}, **bearer) == 413
        process.send_signal(signal.SIGINT)
        out, log = process.communicate(timeout=60)
    assert (out, log.strip()) == ("", "")
