"""Chromium without a window, led over a pipe by its DevTools protocol. It needs nothing but the browser."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Browser", "Shown", "found"]

_NAMES = ("chromium", "google-chrome")
_FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-extensions", "--force-device-scale-factor=1",
)  # fmt: skip
_HIGH = 10
"""File descriptors of ours are moved out of the way of the two that the browser takes."""


def found() -> str | None:
    """The browser's program; None if there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Shown:
    """A page that is open."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript within the page."""
        answer = self.browser.call("Runtime.evaluate", self.session, expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """The whole page as a PNG."""
        shot = self.browser.call("Page.captureScreenshot", self.session, format="png", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    @property
    def complaints(self) -> list[str]:
        """What the browser wrote to its console: errors, warnings, anything refused."""
        return self.browser.complaints


class Browser:
    """One process of the browser."""

    def __init__(self, program: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="anypiece-pages-")
        theirs, self.orders = _pipe()
        self.answers, ours = _pipe()

        def arranged() -> None:
            os.dup2(theirs, 3)
            os.dup2(ours, 4)

        self.process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=arranged,
        )
        os.close(theirs)
        os.close(ours)
        self.rest, self.number = b"", 0
        self.complaints: list[str] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.orders)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        self.folder.cleanup()

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Give an order and wait for its answer; what is heard meanwhile is kept if it is a complaint."""
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters} | (
            {"sessionId": session} if session else {}
        )
        os.write(self.orders, json.dumps(order).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == self.number:
                if "error" in heard:
                    raise RuntimeError(f"{method}: {heard['error']}")
                result: dict[str, Any] = heard["result"]
                return result
            self._note(heard)

    def open(self, path: Path, width: int, scheme: str) -> Shown:
        """Show a file in a window of a width, light or dark, when it has been loaded."""
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable", session)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", session, **size)
        self.call("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", session, url=path.resolve().as_uri())
        shown = Shown(self, session)
        while shown.ask("document.readyState + location.protocol") != "completefile:":
            pass
        return shown

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise RuntimeError("the browser has gone")
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, heard: dict[str, Any]) -> None:
        method, told = heard.get("method"), heard.get("params", {})
        if method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(told["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(told["args"])[:500])


def _pipe() -> tuple[int, int]:
    """Both ends of a pipe, as large numbers."""
    pair = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _HIGH) for end in pair)
    for end in pair:
        os.close(end)
    return moved[0], moved[1]
