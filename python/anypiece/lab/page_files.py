"""The files of the page: read once from the package, so that a request can name none other. ``look.css`` is the look of all
reports.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..report.style import STYLE

__all__ = ["PageFiles"]

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


class PageFiles:
    """Files by their names: body, type and a tag of the content."""

    def __init__(self, folder: Path | None = None) -> None:
        found = sorted((folder or Path(__file__).parent / "page").iterdir())
        self._files = {path.name: _loaded(path.name, path.read_bytes()) for path in found if path.suffix in _TYPES}
        self._files["look.css"] = _loaded("look.css", STYLE.encode())

    def get(self, name: str) -> tuple[bytes, dict[str, str]] | None:
        """The body and headers of a file; None if there is none of that name."""
        return self._files.get(name)


def _loaded(name: str, body: bytes) -> tuple[bytes, dict[str, str]]:
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    kind = _TYPES[Path(name).suffix]
    return body, {"content-type": kind, "etag": tag, "cache-control": "no-cache"}
