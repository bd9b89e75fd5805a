"""Writes MODEL_CARD.md: what the default vocabulary was trained on, with which options, and how it does on unseen text."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import anypiece as ap

from .train import SAMPLES, options

if TYPE_CHECKING:
    from .corpus import Corpus
    from .fetch import Package

__all__ = ["card"]

_INTRODUCTION = """\
# The default vocabulary

`default.model` is what `anypiece.load()` opens: a byte-fallback unigram vocabulary of {size:,} pieces for {languages}
languages and {programs} kinds of source code, trained by AnyPiece's own trainer on free documentation from Debian's
packages. Any text comes back from its ids as it was, except that U+2581 (`▁`) comes back as a space. Why it is made
this way: [docs/decisions/default-vocabulary.md](../../../docs/decisions/default-vocabulary.md).

It is meant for trying things out, for examples and tests, and for counting and splitting text where any sensible unit
will do. The texts are technical: stories, chat and poetry come out in smaller pieces than documentation does. No
language model was trained with it, so its ids mean nothing to any.

- File: {bytes:,} bytes, SHA-256 `{digest}`
- Licence: Apache-2.0, as the rest of the project. The file holds pieces, their scores, and {samples} sample sentences
  written for it; none of the texts.
- Rebuild (a Debian 12 machine or container, 4 GB of disk, no root): `python -m scripts.default_vocabulary`.
  The packages are those of `scripts/default_vocabulary/packages.lock`; with other versions the result differs.
"""


def card(tok: ap.Tokenizer, data: bytes, corpus: Corpus, config: dict[str, Any], packages: list[Package]) -> str:
    """The whole page."""
    programs = sum(name.startswith("code.") for name in corpus.train)
    introduction = _INTRODUCTION.format(
        size=tok.vocab_size,
        languages=len(corpus.train) - programs,
        programs=programs,
        bytes=len(data),
        digest=hashlib.sha256(data).hexdigest(),
        samples=len(SAMPLES),
    )
    parts = [introduction, _options(config["train"]), _slices(tok, corpus), _packages(config, packages)]
    return "\n".join(parts)


def _options(config: dict[str, Any]) -> str:
    rows = [f"| `{name}` | `{_shown(value)}` |" for name, value in options(config).items()]
    return "\n".join(["## Options of the trainer", "", "| option | value |", "|---|---|", *rows, ""])


def _shown(value: object) -> str:
    if isinstance(value, str) and len(value) > 40:
        return f"{value[:3]} … {value[-3:]} ({len(value)} characters)".replace("|", "\\|")
    return repr(value)


def _slices(tok: ap.Tokenizer, corpus: Corpus) -> str:
    total = sum(corpus.characters().values())
    head = [
        "## Text, and what becomes of text that was held out",
        "",
        f"{total / 1e6:.1f} million characters. Bytes and characters per token are measured on blocks that were not trained",
        "on; `byte tokens` is the share of tokens that stand for single bytes of characters outside the vocabulary.",
        "",
        "| slice | characters trained on | held out | bytes per token | characters per token | byte tokens |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    order = sorted(corpus.train, key=lambda name: (name.startswith("code."), -corpus.characters()[name], name))
    return "\n".join([*head, *(_slice_row(tok, corpus, name) for name in order), ""])


def _slice_row(tok: ap.Tokenizer, corpus: Corpus, name: str) -> str:
    trained, texts = corpus.characters()[name], corpus.held_out[name]
    ids = [one for text in texts for one in tok.encode(text)]
    if not ids:
        return f"| {name} | {trained:,} | 0 | | | |"
    size, length = sum(len(text.encode()) for text in texts), sum(map(len, texts))
    share = sum(tok.kind(one) == ap.Kind.BYTE for one in ids) / len(ids)
    figures = f"{size / len(ids):.2f} | {length / len(ids):.2f} | {100 * share:.2f} %"
    return f"| {name} | {trained:,} | {length:,} | {figures} |"


def _packages(config: dict[str, Any], packages: list[Package]) -> str:
    licences: dict[str, str] = {}
    for source in config["source"]:
        for name in source["packages"]:
            licences.setdefault(name, source["licence"])
    rows = [f"| {one.name} | {one.version} | {licences[one.name]} |" for one in sorted(packages, key=lambda p: p.name)]
    head = ["## Packages", "", "All are in Debian's main section, which holds free software and documents only.", ""]
    return "\n".join([*head, "| package | version | licence of the texts |", "|---|---|---|", *rows, ""])
