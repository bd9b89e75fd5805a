"""The command line run in this process."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import anypiece as ap
from anypiece import cli
from scripts.docs.help import WIDTH
from tests.support.small_vocabularies import BYTES, RANKS, UNIGRAM

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


class Result(NamedTuple):
    code: int
    out: str
    err: str

    def rows(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class Shell:
    """Runs the command line in this process, with its own standard streams."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.monkeypatch = monkeypatch
        self.folder = folder
        monkeypatch.chdir(folder)
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", str(WIDTH))
        ap.Tokenizer(UNIGRAM).save(folder / "tok.model")
        ap.Tokenizer(BYTES).save(folder / "bytes.anypiece")
        ap.Tokenizer(RANKS).save(folder / "ranks.anypiece")

    def __call__(self, *arguments: str, given: bytes | str | None = b"", terminal: bool = False) -> Result:
        """``given`` is standard input; None is a terminal at which nobody types."""
        raw = given.encode() if isinstance(given, str) else given
        kind = Terminal if terminal else io.TextIOWrapper
        streams = {name: kind(io.BytesIO(), encoding="utf-8", newline="") for name in ("stdout", "stderr")}
        stdin = Terminal(io.BytesIO()) if raw is None else io.TextIOWrapper(io.BytesIO(raw))
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", stdin)
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            code = cli.run(list(arguments))
        return Result(code, *(self._text(stream) for stream in streams.values()))

    @staticmethod
    def _text(stream: io.TextIOWrapper) -> str:
        stream.flush()
        buffer = stream.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()
