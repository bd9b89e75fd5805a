"""OpenAI's encodings: patterns, special tokens, and rank files that are found and checked."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import FormatError
from ...formats.tiktoken.definitions import DEFINITIONS, SPLITTERS, definition_of
from ...formats.wire.rank_lines import scan_lines
from ...io.names import rank_path
from ...io.paths import read_bytes
from .core import Encoding
from .ranks import dictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...formats.wire.rank_lines import RankLines

__all__ = ["CONSTRUCTORS", "opened"]

_BASES = {
    "gpt2": "r50k_base",
    "r50k_base": "r50k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_base",
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "o200k_harmony": "o200k_base",
}
"""Each encoding, in tiktoken's order, and the one whose rank file it has."""
_PATTERNS = {splitter: pattern for pattern, splitter in SPLITTERS.items()}
"""The pattern of each splitter as tiktoken 0.14 writes it, which stands last."""
_EXPLICIT = ("gpt2", "r50k_base", "p50k_base")


def _lines(name: str) -> RankLines:
    path = rank_path(name)
    content = read_bytes(path).replace(b"\r\n", b"\n")
    found = definition_of(hashlib.sha256(content).hexdigest())
    if found is None or found.name != _BASES[name]:
        message = f"{path} is not the rank file of {_BASES[name]}: its content is another. Copy it again, or remove it"
        raise FormatError("definition-mismatch", message, definition=name, path=str(path))
    return scan_lines(content)


def _specials(name: str) -> dict[str, int]:
    return {**DEFINITIONS[name].specials, **DEFINITIONS[name].aliases}


def _pattern(name: str) -> str:
    return _PATTERNS[str(DEFINITIONS[name].splitter)]


def opened(name: str) -> Encoding:
    """The encoding of a name."""
    return Encoding._of_lines(name, _pattern(name), _lines(name), _specials(name))


def _arguments(name: str) -> dict[str, Any]:
    """The arguments of ``Encoding`` for a name."""
    explicit = {"explicit_n_vocab": DEFINITIONS[name].n_vocab} if name in _EXPLICIT else {}
    ranks = dictionary(_lines(name))
    return {
        "name": name,
        **explicit,
        "pat_str": _pattern(name),
        "mergeable_ranks": ranks,
        "special_tokens": _specials(name),
    }


CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {name: partial(_arguments, name) for name in _BASES}
