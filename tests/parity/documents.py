"""Tokenizer.json documents made at random: any normalizers, rules, model, decoder and added tokens together.

Left out is what ``docs/formats/huggingface.md`` names as refused or different, so that nearly all of them can be compared.
"""

from __future__ import annotations

from random import Random
from typing import Any

from anypiece.formats.huggingface.model import BYTE_CHARACTERS
from tests.support.hf import added

__all__ = ["made_document", "made_texts"]

Section = dict[str, Any]

LETTERS = [chr(character) for character in BYTE_CHARACTERS]
ATOMS = (
    "a", "b", "c", "ab", "A", "Ab", " ", "  ", "\t", "\n", "\r\n", "é", "e\u0301", "É", "日", "本", "日本語", "😀",
    "👩\u200d👧", "\u0301", "لا", "हि", "\x00", "\ufeff", "\u200b", "▁", "Ġ", "1", "12", "٣", "½", ".", ",", "!?", "'s",
    "-", "##", "ß", "İ", "ǆ", "ﬁ", "\u212b", "\u3000", "\xa0", "か", "カー", "가", "Ω", "ς", "don't", "Ⅷ", "“", "\x7f",
)  # fmt: skip
REGEXES = (
    r"\s+", r"[a-z]+", r"\d", r"\p{L}+", r"a|b", r"\w+|[^\w\s]+", r" ?\S+", r"\p{M}", r"[\p{Han}]", r"(?i:ab)",
    r"'s|'t", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)  # fmt: skip
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
FLAGS = ("special", "lstrip", "rstrip", "single_word", "normalized")
NAMES = ("<s>", "[x y]", "<|end|>", "ab!", " z", "tok", "Tok ", "ß!")
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def made_texts(seed: int, document: Section) -> list[str]:
    """Texts for a document, with its added tokens in them; one is long."""
    rng = Random(f"texts {seed}")
    atoms = [
        *ATOMS,
        *("a", "b", " ", "ab") * 6,
        *(row["content"] for row in document["added_tokens"] for _ in range(4)),
    ]
    texts = ["".join(rng.choices(atoms, k=size)) for size in (0, 1, 2, 3, 4, 6, 9, 14, 40)]
    return [*texts, texts[5] * 30, "ab" * 60 + " ab"]


def made_document(seed: int) -> Section:
    """The document of a seed."""
    rng = Random(f"document {seed}")
    kind = rng.choice(("bytes", "bytes", "BPE", "BPE", "Unigram", "WordPiece", "WordLevel"))
    is_bytes = kind == "bytes"
    rules = [_rule(rng) for _ in range(rng.choice((0, 1, 1, 2)))] + ([_byte_level(rng)] if is_bytes else [])
    model = {"bytes": _bytes, "BPE": _merges, "Unigram": _unigram, "WordPiece": _words, "WordLevel": _whole_words}[
        kind
    ](rng)
    size = len(model["vocab"])
    tokens = [
        added(
            size + place, name, **{flag: rng.random() < 0.3 for flag in ("special", "lstrip", "rstrip", "single_word")}
        )
        for place, name in enumerate(rng.sample(NAMES, rng.randint(0, 4)))
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": _sequence([_normalizer(rng) for _ in range(rng.choice((0, 0, 1, 2)))], "normalizers"),
        "pre_tokenizer": _sequence(rules, "pretokenizers"),
        "post_processor": BYTE_LEVEL if is_bytes and rng.random() < 0.5 else None,
        "decoder": BYTE_LEVEL if is_bytes and rng.random() < 0.6 else _decoder(rng),
        "model": model,
    }


def _sequence(sections: list[Section], name: str) -> Section | None:
    if len(sections) < 2:
        return sections[0] if sections else None
    return {"type": "Sequence", name: sections}


def _pattern(rng: Random) -> Section:
    return {"String": rng.choice((" ", "a", "ab", "▁", "é"))} if rng.random() < 0.4 else {"Regex": rng.choice(REGEXES)}


def _normalizer(rng: Random) -> Section:
    flags = {name: rng.random() < 0.5 for name in ("clean_text", "handle_chinese_chars", "lowercase")}
    return rng.choice((
        *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", "StripAccents")),
        {"type": "Strip", "strip_left": rng.random() < 0.5, "strip_right": rng.random() < 0.5},
        {"type": "Replace", "pattern": _pattern(rng), "content": rng.choice(("", " ", "▁", "xy"))},
        {"type": "Prepend", "prepend": rng.choice(("▁", "a "))},
        {"type": "BertNormalizer", "strip_accents": rng.choice((None, True, False)), **flags},
    ))  # fmt: skip


def _byte_level(rng: Random) -> Section:
    return BYTE_LEVEL | {"add_prefix_space": rng.random() < 0.3, "use_regex": rng.random() < 0.5}


def _rule(rng: Random) -> Section:
    behavior, scheme = rng.choice(BEHAVIORS), rng.choice(("always", "first", "never"))
    return rng.choice((
        *({"type": name} for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")),
        {"type": "CharDelimiterSplit", "delimiter": rng.choice("a b1")},
        {"type": "Digits", "individual_digits": rng.random() < 0.5},
        {"type": "Punctuation", "behavior": behavior},
        {"type": "FixedLength", "length": rng.randint(1, 5)},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": rng.random() < 0.5},
        {"type": "Split", "pattern": _pattern(rng), "behavior": behavior, "invert": rng.random() < 0.3},
    ))  # fmt: skip


def _decoder(rng: Random) -> Section | None:
    made = [
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Replace", "pattern": {"String": rng.choice("a▁Ġ")}, "content": " "},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": rng.choice(("always", "never")), "split": True},
        {"type": "WordPiece", "prefix": "##", "cleanup": rng.random() < 0.5},
        {"type": "BPEDecoder", "suffix": rng.choice(("a", "</w>"))},
        {"type": "CTC", "pad_token": "a", "word_delimiter_token": "▁", "cleanup": rng.random() < 0.5},
        BYTE_LEVEL,
    ]
    return _sequence(rng.sample(made, rng.choice((0, 1, 1, 2))), "decoders")


def _grown(rng: Random, symbols: list[str], count: int) -> tuple[list[str], list[list[str]]]:
    """Symbols with what merges make of them, and the merges."""
    names, merges = list(symbols), []
    common = [symbol for symbol in symbols if symbol in "abcĠ日Ãæ©1"] or symbols
    for _ in range(count):
        left, right = rng.choice([*common, *names[len(symbols) :]]), rng.choice([*common, *names[len(symbols) :]])
        if [left, right] not in merges and len(left + right) < 12:
            merges.append([left, right])
            names += [left + right] if left + right not in names else []
    return names, merges


def _numbered(names: list[str]) -> dict[str, int]:
    return {name: id for id, name in enumerate(dict.fromkeys(names))}


def _bytes(rng: Random) -> Section:
    names, merges = _grown(rng, LETTERS, rng.randint(1, 30))
    whole = [spelled(text) for text in rng.sample((" cé", "日本", "don't", "aé語", "\n\n"), rng.randint(0, 3))]
    return {"type": "BPE", "vocab": _numbered([*names, *whole]), "merges": merges, "ignore_merges": rng.random() < 0.5}


def spelled(text: str) -> str:
    """A text in the letters that stand for its bytes."""
    return "".join(LETTERS[byte] for byte in text.encode())


def _merges(rng: Random) -> Section:
    symbols = rng.sample(sorted({character for atom in ATOMS for character in atom}), 25)
    names, merges = _grown(rng, ["a", "b", *symbols], rng.randint(1, 25))
    falls_back = rng.random() < 0.4
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)] if falls_back else []
    flags = {"fuse_unk": rng.random() < 0.5, "byte_fallback": falls_back, "ignore_merges": rng.random() < 0.3}
    return {
        "type": "BPE",
        "unk_token": "<unk>",
        "vocab": _numbered(["<unk>", *names, *bytes_]),
        "merges": merges,
        **flags,
    }


def _unigram(rng: Random) -> Section:
    atoms = [atom for atom in ATOMS if len(atom) < 4]
    names = {"".join(rng.choices(atoms, k=rng.randint(1, 3))) for _ in range(40)} | set(rng.sample(atoms, 20))
    rows = [["<unk>", 0.0], *([name, -rng.randint(1, 4000) / 256] for name in sorted(names))]
    return {"type": "Unigram", "unk_id": 0, "vocab": rows, "byte_fallback": False}


def _words(rng: Random) -> Section:
    names = [*rng.sample(ATOMS, 25), *(f"##{atom}" for atom in rng.sample(ATOMS, 25)), "a", "##b"]
    most = rng.choice((5, 100))
    options = {"continuing_subword_prefix": "##", "max_input_chars_per_word": most}
    return {"type": "WordPiece", "unk_token": "[UNK]", "vocab": _numbered(["[UNK]", *names]), **options}


def _whole_words(rng: Random) -> Section:
    names = ["".join(rng.choices(ATOMS, k=rng.randint(1, 2))) for _ in range(40)]
    return {"type": "WordLevel", "unk_token": "?", "vocab": _numbered(["?", "a", "ab", *names])}
