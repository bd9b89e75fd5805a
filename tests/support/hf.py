"""Small tokenizer.json files made with tokenizers, or by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["document", "written"]


def document(**sections: Any) -> dict[str, Any]:
    """A small file that loads; ``sections`` stand for its own."""
    made: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added(0, "<unk>"), added(5, "<s>")],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "c": 4},
            "merges": [["a", "b"]],
        },
    }
    return made | sections


def added(id: int, content: str, **flags: bool) -> dict[str, Any]:
    """An added token, special unless ``flags`` say otherwise."""
    off = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": content, "special": True, **off, **flags}


def written(folder: Path, content: dict[str, Any] | str | bytes) -> Path:
    """A file of that content."""
    path = folder / "tokenizer.json"
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
