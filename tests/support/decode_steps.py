"""Steps of decoders, with what tokenizers calls each, and a tokenizer that decodes by some of them."""

from __future__ import annotations

from typing import Any

from tokenizers import decoders

import anypiece as ap

NAMES = ["▁a", "▁", "▁▁b", "a", "##b", "##", "c</w>", "</w>", "<0x41>", "<0xC3>", "<0xA9>", "<0xff>", "<0x+1>", "<0xZZ>",
         ".", "'s", " ' ", " n't", "do not", "|", "<pad>", " ", "é", "x ,", "<unk>", "<0xAA>", "'", "s"]  # fmt: skip
STEPS: list[tuple[dict[str, Any], Any]] = [
    ({"type": "byte-fallback"}, decoders.ByteFallback()),
    ({"type": "metaspace", "replacement": "▁", "prepended": True}, decoders.Metaspace()),
    ({"type": "metaspace", "replacement": "▁", "prepended": False}, decoders.Metaspace(prepend_scheme="never")),
    ({"type": "replace", "pattern": "▁", "content": " "}, decoders.Replace("▁", " ")),
    ({"type": "replace", "pattern": "##", "content": ""}, decoders.Replace("##", "")),
    ({"type": "fuse"}, decoders.Fuse()),
    ({"type": "strip", "content": " ", "start": 1, "stop": 0}, decoders.Strip(" ", 1, 0)),
    ({"type": "strip", "content": "a", "start": 2, "stop": 0}, decoders.Strip("a", 2, 0)),
    ({"type": "wordpiece", "prefix": "##", "cleanup": True}, decoders.WordPiece("##", True)),
    ({"type": "wordpiece", "prefix": "##", "cleanup": False}, decoders.WordPiece("##", False)),
    ({"type": "suffix", "suffix": "</w>"}, decoders.BPEDecoder("</w>")),
    ({"type": "ctc", "pad": "<pad>", "delimiter": "|", "cleanup": True}, decoders.CTC("<pad>", "|", True)),
    ({"type": "ctc", "pad": "<pad>", "delimiter": "|", "cleanup": False}, decoders.CTC("<pad>", "|", False)),
]
OFF: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
SP = [STEPS[3], STEPS[0], STEPS[5], STEPS[6]]


def tokenizer(steps: list[dict[str, Any]]) -> ap.Tokenizer:
    rows = [(name, 0.0, ap.Kind.UNKNOWN if name == "<unk>" else ap.Kind.NORMAL) for name in NAMES]
    return ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), segmenter="word-level", decoder=tuple(steps), **OFF))
