"""Models in the local cache of Hugging Face. Nothing is downloaded."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cached_file"]


def _cache() -> Path:
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "huggingface")
    return Path(home).expanduser() / "hub"


def cached_file(identifier: str, revision: str, name: str = "tokenizer.json") -> str:
    """The path of a model's file in the cache."""
    place = _cache() / f"models--{identifier.replace('/', '--')}"
    reference = place / "refs" / revision
    commit = reference.read_text().strip() if reference.is_file() else revision
    path = place / "snapshots" / commit / name
    if not path.is_file():
        raise Exception(
            f"{identifier!r} (revision {revision!r}) is not in the local cache; pass a folder, or download it."
        )
    return str(path)
