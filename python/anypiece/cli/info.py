"""``anypiece info``: what a tokenizer is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..formats import gguf
from ..render import BLANK, spelled, visible
from ..spec import Kind, Spec
from . import options, output

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

_MATTERS: dict[str, Callable[[Spec], bool]] = {
    **dict.fromkeys(("word_prefix", "continuing_prefix", "max_word_chars"), lambda spec: spec.segmenter == "wordpiece"),
    **dict.fromkeys(("unknown", "symbol_prefix", "end_suffix"), lambda spec: len(spec.merges) > 0),
    "whole_chunks": lambda spec: spec.segmenter == "bpe",
    "arithmetic": lambda spec: spec.segmenter in ("unigram", "bpe") and len(spec.merges) == 0,
    "user_defined_score": lambda spec: spec.segmenter == "unigram",
    "match_kinds": lambda spec: spec.segmenter in ("unigram", "bpe"),
}
"""Settings that mean something to some segmenters only."""


@click.command()
@options.tokenizer_argument
@click.option("--vocab", is_flag=True, help="Print the vocabulary instead: id, piece, score, kind, separated by tabs.")
@options.as_json
def info(tokenizer: Tokenizer, name: str, vocab: bool, as_json: bool) -> None:
    """Describe a tokenizer.

    Its segmenter, size, the settings that matter to it, special pieces and fingerprint.

    \b
    Examples:
      anypiece info
      anypiece info tokenizer.model
      anypiece info --vocab tokenizer.model | sort -t "$(printf '\\t')" -k3 -n
    """
    if vocab:
        _write_vocab(tokenizer, as_json)
    elif as_json:
        output.write_json(described(tokenizer, name))
    else:
        _write_table(described(tokenizer, name))


def described(tokenizer: Tokenizer, name: str) -> dict[str, Any]:
    """The facts about a tokenizer, JSON-ready."""
    spec = tokenizer.spec
    kinds = {kind.name.lower(): int(np.count_nonzero(spec.pieces.kinds == kind)) for kind in Kind}
    facts = {
        "tokenizer": name,
        "vocab_size": tokenizer.vocab_size,
        "kinds": {kind: number for kind, number in kinds.items() if number},
        "longest_piece_bytes": int(np.diff(spec.pieces.offsets.astype(np.int64)).max()),
        "unk_id": tokenizer.unk_id,
        **_settings(spec),
        "charsmap_bytes": len(spec.charsmap),
        "denormalizer_bytes": len(spec.denormalizer),
        "samples": len(spec.samples),
        "fingerprint": tokenizer.fingerprint,
    }
    origin = tokenizer._origin
    return facts | origin.facts() if isinstance(origin, gguf.Origin) else facts


def _settings(spec: Spec) -> dict[str, Any]:
    """The settings that matter to the segmenter; one that was changed is always shown."""
    changed = spec.changed_fields()
    return {
        name: value
        for name, value in spec.config().items()
        if name in changed or name not in _MATTERS or _MATTERS[name](spec)
    }


def _write_table(facts: dict[str, Any]) -> None:
    for name, value in facts.items():
        shown = ", ".join(f"{number} {kind}" for kind, number in value.items()) if isinstance(value, dict) else value
        label = output.styled(f"{name.replace('_', ' '):<26}")
        output.write(f"{label}{_shown(shown)}\n")


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, str) and (not value or value != value.strip()) else str(value)


def _write_vocab(tokenizer: Tokenizer, as_json: bool) -> None:
    space = BLANK if tokenizer.spec.symbols == "bytes" else " "
    for piece_id, (raw, score, kind) in enumerate(tokenizer.spec.pieces):
        piece, what = spelled(raw), kind.name.lower()
        if as_json:
            output.write_json({"id": piece_id, "piece": piece, "score": score, "kind": what})
        else:
            output.write(f"{piece_id}\t{visible(piece, space)}\t{score:g}\t{what}\n")
