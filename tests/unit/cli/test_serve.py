"""``anypiece serve``: what it refuses before it listens."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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
