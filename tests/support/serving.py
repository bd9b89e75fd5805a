"""A server in a process of its own, and requests written by hand that no library would send."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any

from tests.support.data import ROOT

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Served", "head_of"]

_START = """
import sys, json
import anypiece
from anypiece.lab import Limits, serve
sent = json.loads(sys.argv[1])
names = {name: anypiece.load(path) for name, path in sent["tokenizers"].items()}
def ready(url):
    print("on " + url, flush=True)
serve(names, limits=Limits(**sent["limits"]), port=sent["port"], is_logged=False, ready=ready)
"""


class Served:
    """A running server. ``limits`` are those of ``anypiece.lab.Limits``; the port is a free one unless it is given."""

    def __init__(self, tokenizers: dict[str, str | None] | None = None, port: int = 0, **limits: Any) -> None:
        told = json.dumps({"tokenizers": tokenizers or {"default": None}, "limits": limits, "port": port})
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, told],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"on http://127\.0\.0\.1:(\d+)/\n", line)
        if found is None:
            self.process.kill()
            raise RuntimeError(f"the server did not start: {line}{self.process.communicate()[1]}")
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self, by: int = signal.SIGTERM) -> int:
        """Tell the process to stop, and its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            code = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def connect(self, buffer: int = 0) -> socket.socket:
        """A connection of one's own; ``buffer`` bounds what the system takes of an answer before it is read."""
        made = socket.socket()
        made.settimeout(60)
        if buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.connect(("127.0.0.1", self.port))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def post(self, path: str, value: Any) -> tuple[int, Any]:
        """Status and value of an answer."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(value).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    @property
    def memory(self) -> int:
        """Bytes of memory of the process."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    def settled_memory(self) -> int:
        """Its memory when nothing happens."""
        time.sleep(0.3)
        return self.memory


def head_of(path: str, length: int, kind: str = "application/json") -> bytes:
    """The head of a POST."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()
