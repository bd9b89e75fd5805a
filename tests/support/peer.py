"""sentencepiece of a given release, in a process of its own.

The release of the current environment is used where it is the wanted one; any other is installed on first use into
``.cache/peers`` (two releases cannot share an environment). A Peer is for one thread; strings with lone surrogates are
out of its scope, since sentencepiece itself refuses them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from tests.support.data import CACHE, ROOT
from tests.support.peer_worker import receive, send
from tests.support.records import Columns, Digests

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DIALECTS", "VERSIONS", "Peer", "PeerDied", "installed", "installed_beside"]

DIALECTS = {"0.2.3": "sentencepiece", "0.2.2": "sentencepiece-0.2.2", "0.2.1": "sentencepiece-0.2.1"}
"""Each release that is answered to, and the dialect that promises its ids."""

VERSIONS = tuple(DIALECTS)


class PeerDied(RuntimeError):
    """The peer's process ended; the message holds what it wrote to stderr."""


def installed(version: str) -> Path | None:
    """The folder to put first on the path for ``version``; None where the environment has it already."""
    if metadata.version("sentencepiece") == version:
        return None
    return installed_beside(f"sentencepiece-{version}", f"sentencepiece=={version}")


def installed_beside(name: str, *packages: str, options: Sequence[str] = (), **environment: str) -> Path:
    """A folder of that name that has some packages and none that they need, made when it is first needed.

    ``options`` are for pip, and ``environment`` for what it runs.
    """
    place = CACHE / "peers" / name
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as fresh:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
            known = {**os.environ, **environment}
            subprocess.run([*command, *options, "--target", f"{fresh}/it", *packages], check=True, env=known)
            try:
                Path(fresh, "it").rename(place)
            except OSError:  # another process was first; its copy is as good
                if not place.is_dir():
                    raise
    return place


class Worker:
    """A library in a process of its own: a module that answers what ``records`` sends it, with some folders on its path."""

    def __init__(self, title: str, module: str, path: Sequence[Path]) -> None:
        self._title = title
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT]))},
        )

    def _ask(self, op: str, blobs: Sequence[bytes], *, may_be_empty: bool = False, **header: Any) -> list[bytes]:
        try:
            send(cast("IO[bytes]", self._process.stdin), [json.dumps({"op": op, **header}).encode(), *blobs])
            answer = receive(cast("IO[bytes]", self._process.stdout))
        except BrokenPipeError:
            answer = []
        if not answer and not may_be_empty:
            self._errors.seek(0)
            raise PeerDied(f"{self._title} died on {op}: {self._errors.read().decode(errors='replace')}")
        return answer

    def close(self) -> None:
        """End the process."""
        cast("IO[bytes]", self._process.stdin).close()
        self._process.wait(timeout=60)
        cast("IO[bytes]", self._process.stdout).close()
        self._errors.close()


class Peer(Worker):
    """SentencePiece. ``open`` a tokenizer file, ask about texts, ``close``."""

    def __init__(self, version: str) -> None:
        self.version = version
        place = installed(version)
        path = [] if place is None else [place]
        super().__init__(f"sentencepiece {version}", "tests.support.peer_worker", path)

    def open(self, content: bytes) -> None:
        """Load a tokenizer file from its bytes."""
        found = json.loads(self._ask("open", [content])[0])["version"]
        if found != self.version:
            raise PeerDied(f"wanted sentencepiece {self.version}, found {found}")

    def digests(self, texts: Sequence[bytes]) -> Digests:
        """The hashes of what sentencepiece says about ``texts``."""
        return Digests(**json.loads(self._ask("digests", texts)[0]))

    def columns(self, texts: Sequence[bytes]) -> Columns:
        """What sentencepiece says about ``texts``."""
        return Columns.from_blobs(self._ask("columns", texts))

    def normalize(self, texts: Sequence[bytes]) -> list[bytes]:
        """What sentencepiece's normalizer makes of ``texts``."""
        return self._ask("normalize", texts, may_be_empty=not texts)

    def entropies(self, texts: Sequence[str], alpha: float) -> list[float]:
        """The entropy of the lattice of each text; 0.2.2 is the last release that has it."""
        found: list[float] = json.loads(self._ask("entropies", [text.encode() for text in texts], alpha=alpha)[0])
        return found

    def train(self, texts: Sequence[bytes], **options: Any) -> bytes:
        """A tokenizer file trained on ``texts``."""
        return self._ask("train", texts, options=options)[0]
