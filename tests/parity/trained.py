"""Vocabularies that are trained here, written as files of others, against the libraries that those files are for.

llama.cpp is compiled on first use (``tests.support.llama_cpp``), so that comparing with it is part of ``make parity`` alone.
"""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import anypiece as ap
from tests.parity.conversions import texts as lines_of_corpora
from tests.parity.libraries import bytepiece_library
from tests.parity.libraries import first_difference as first_library_difference
from tests.support import data, llama_cpp
from tests.support.gguf import golden_texts

__all__ = ["BYTEPIECES", "GGUFS", "bytepiece_difference", "gguf_difference", "texts"]

_CORPORA = ("en_botchan", "ja_wagahaiwa_nekodearu", "ru_manpages", "code_other")
_LIMIT = 120_000
_PLAIN = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "byte_fallback": True}

GGUFS: dict[str, tuple[str, dict[str, Any]]] = {
    "unigram": ("unigram", {"vocab_size": 4000}),
    "unigram-bytes": ("unigram", {"vocab_size": 3000, "byte_fallback": True, "user_defined_symbols": ("<sep>", "[x]")}),
    "unigram-plain": ("unigram", {"vocab_size": 4000, "normalization_rule_name": "identity", "pad_id": 3}),
    "unigram-spaces": ("unigram", {"vocab_size": 4000, "remove_extra_whitespaces": False, "add_dummy_prefix": False}),
    "bpe": ("bpe", {"vocab_size": 4000, **_PLAIN}),
    "bpe-squeezed": ("bpe", {"vocab_size": 3000, **_PLAIN, "remove_extra_whitespaces": True}),
    "bpe-no-prefix": (
        "bpe",
        {"vocab_size": 3000, "add_dummy_prefix": False, "user_defined_symbols": ("<sep>",), **_PLAIN},
    ),
    **{
        f"byte-bpe-{name}": ("byte-bpe", {"vocab_size": 3000, "splitter": name, "specials": ("<|begin|>", "<|mine|>")})
        for name in ("gpt2", "llama3", "qwen2", "starcoder", "deepseek-v3", "tekken", "o200k")
    },
    "wordpiece": ("wordpiece", {"vocab_size": 3000}),
    "wordpiece-cased": ("wordpiece", {"vocab_size": 3000, "lowercase": False}),
}
"""What GGUF has a place for: a kind of vocabulary with the options it is trained with."""

BYTEPIECES: dict[str, dict[str, Any]] = {
    "bytepiece": {"max_vocab_size": 4000},
    "bytepiece-digits": {"max_vocab_size": 1500, "isolate_digits": True},
    "bytepiece-cut": {"max_vocab_size": 2000, "order": 4, "ensure_unicode": False},
}


@lru_cache
def corpus() -> tuple[str, ...]:
    """Some lines in several scripts to train on."""
    lines: list[str] = []
    for name in _CORPORA:
        size = 0
        for line in data.corpus_lines(name):
            size += len(line)
            if size > _LIMIT:
                break
            lines.append(line.decode())
    return tuple(lines)


@lru_cache
def texts() -> tuple[str, ...]:
    """What is compared: lines of many corpora, odd texts, and texts with special tokens in them."""
    special = [
        f"a{name} b {name}{name}\n{name}" for name in ("<sep>", "[x]", "<|mine|>", "<s>", "</s>", "[SEP]", "<pad>")
    ]
    return (*lines_of_corpora(), *golden_texts()[::8], *special)


def gguf_difference(name: str) -> str | None:
    """What differs first between llama.cpp and us with a GGUF file of a vocabulary that is trained for it."""
    kind, options = GGUFS[name]
    tok = ap.train(corpus(), kind, **options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.gguf"
        ap.convert(tok, path)
        theirs, ours = llama_cpp.ask(path, texts()), ap.load(path)
    for place, text in enumerate(texts()):
        found: dict[str, tuple[object, object]] = {
            "ids": (ours.encode(text), theirs.ids[place]),
            "ids with specials parsed": (ours.encode(text, specials="parse"), theirs.parsed[place]),
            "ids with marks": (ours.encode(text, add_special=True), theirs.marked[place]),
            "text": (ours.decode_bytes(theirs.ids[place]), theirs.texts[place]),
        }
        for what, (mine, other) in found.items():
            if mine != other:
                return f"{what} of {text[:300]!r}: {mine!r:.300} instead of {other!r:.300}"
    return None


def bytepiece_difference(name: str) -> str | None:
    """The same between bytepiece and us with a file of BytePiece."""
    tok = ap.train(corpus(), "bytepiece", **BYTEPIECES[name])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.model"
        tok.save(path, format="bytepiece")
        library = bytepiece_library(path)
        ours = ap.load(path)
    if [ours.encode(text) for text in texts()] != [tok.encode(text) for text in texts()]:
        return "the ids of the file and those of what it was made from"
    return first_library_difference(ours, [text.encode() for text in texts()], library)
