"""Trains the vocabulary with AnyPiece's own trainer and adds self-test samples to the file.

The options are one table, so that the card can print them. The sixteen samples are written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anypiece as ap

from .corpus import Corpus, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SAMPLES", "options", "train"]

SAMPLES = (
    "A tokenizer cuts text into pieces; a good one can put them together again.",
    "Der Fuchs läuft schnell über die große Wiese.",
    "El zorro corre rápido por el prado grande, ¿verdad?",
    "Le renard traverse la forêt où l’été n’est jamais très chaud.",
    "Быстрая лиса бежит через большой лес.",
    "Η γρήγορη αλεπού τρέχει στο δάσος.",
    "الثعلب السريع يركض في الغابة.",
    "लोमड़ी जंगल में तेज़ दौड़ती है।",
    "สุนัขจิ้งจอกวิ่งเร็วในป่า",
    "狐は森の中を速く走ります。",
    "狐狸在森林里跑得很快。",
    "여우가 숲속을 빠르게 달립니다.",
    "Con cáo chạy nhanh trong rừng lớn.",
    "def area(width: float, height: float = 2.5) -> float:\n    return width * height\n",
    "for (int i = 0; i < count; i++) {\n\t\tsum += values[i];\n\t}\n",
    "  Spaces   and\u00a0others, 1234567890, e\u0301, 🦊, 𒀀, \ufb01.",
)
"""Self-tests of the file, written for it: one for most of the large slices, and one that is trouble."""


def options(config: dict[str, Any]) -> dict[str, Any]:
    """Every option that is not the trainer's default, and those whose default must not change under us."""
    return {
        "kind": "unigram",
        "vocab_size": config["vocab_size"],
        "character_coverage": config["character_coverage"],
        "normalization_rule_name": "identity",
        "add_dummy_prefix": True,
        "remove_extra_whitespaces": False,
        "byte_fallback": True,
        "split_digits": True,
        "allow_whitespace_only_pieces": True,
        "user_defined_symbols": tuple("\t" * count for count in range(1, 5)),
        "required_chars": "".join(map(chr, range(0x21, 0x7F))),
        "unk_id": 0,
        "bos_id": 1,
        "eos_id": 2,
        "pad_id": 3,
    }


def train(corpus: Corpus, config: dict[str, Any]) -> ap.Tokenizer:
    """The tokenizer, with its samples."""
    tok = ap.train(list(_all_sentences(corpus)), **options(config))
    samples = tuple(ap.Sample(text, tuple(tok.encode_pieces(text))) for text in SAMPLES)
    return tok.replace(samples=samples)


def _all_sentences(corpus: Corpus) -> Iterator[str]:
    for name in sorted(corpus.train):
        yield from sentences(corpus.train[name])
