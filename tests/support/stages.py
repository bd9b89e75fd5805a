"""Steps and rules compared with the objects of ``tokenizers`` they stand for, and texts to try them on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenizers import Regex, normalizers, pre_tokenizers

from anypiece import Kind, Pieces, Spec

__all__ = ["BYTES", "CHARACTERS", "RULES", "STEPS", "joined_rules", "joined_steps", "texts"]

_OFF = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}
CHARACTERS = Spec(Pieces.of([("<unk>", 0, Kind.UNKNOWN), ("a", -1, Kind.NORMAL)]), "char", **_OFF)  # type: ignore[arg-type]
"""All is unknown but ``a``."""
BYTES = Spec(Pieces.of([(bytes([byte]), 0, Kind.NORMAL) for byte in range(256)]), "bpe", "bytes", **_OFF)  # type: ignore[arg-type]

Pair = tuple[dict[str, Any], Any]

_PARTS = [
    "a",
    "b",
    "ab",
    "A",
    "B",
    "Hello",
    "don't",
    "'s",
    "'S",
    "'ll",
    "ſ",
    "_",
    "$",
    "^",
    "`",
    "~",
    "|",
    "/",
    "\\",
    "#",
    "!",
    ".",
    ",",
    "-",
    "1",
    "12",
    "1234",
    "½",
    "²",
    "٣",
    "９",
    "Ⅷ",
    "、",
    "。",
    "—",
    "…",
    "«",
    "é",
    "É",
    "ß",
    "ẞ",
    "İ",
    "ı",
    "ŉ",
    "ǆ",
    "Ǆ",
    "ﬁ",
    "ﬆ",
    "Å",
    "ñ",
    "ö",
    "ộ",
    "가",
    "각",
    "한국",
    "中",
    "文字",
    "の",
    "が",
    "ガ",
    "ｶﾞ",
    "ー",
    "〇",
    "㍿",
    "①",
    "ｆｕｌｌ",
    "Ａ",
    "😀",
    "👍🏽",
    "🇩🇪",
    "🇫🇷🇩",
    "हि",
    "क्ष",
    "ก็",
    "ที่",
    "א",
    "ب",
    "ﷺ",
    "ж",
    "Ж",
    "Σ",
    "ς",
    "ΑΣ",
    "▁",
    "Ω",
    "\x00",
    "\x01",
    "\x7f",
    "\x9f",
    "\u200b",
    "\u200d",
    "\ufeff",
    "�",
    "\ue000",
    "é",
    "ộ",
    "́",
    "̈́",
    "̈́",
    "ͅ",
    "ཱི",
    "ཱི",
    "각",
    "が",
    "👩\u200d💻",
    "𝐀",
    "🄀",
    "ำ",
    "ẛ̣",
    "Å",
]
_PARTS += [" ", "  ", "\n", "\r", "\r\n", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u1680", "\u2028", "\u3000"]
_PARTS += ["Hello world, it's 2024.", "The quick brown fox"]
_NEWER = ["\u0378", "\U000e0001", "\ud7b0", "\U0001e8d0", "\U00016ac0", "\u0897"]
"""Unassigned, or younger than one table or another."""


def texts(seed: int, count: int, newer: bool = True) -> Iterator[str]:
    """Texts of all scripts; with ``newer`` any code points, on which Python's tables may differ from the library's."""
    draw = random.Random(seed)
    parts = _PARTS + _NEWER if newer else _PARTS
    for _ in range(count):
        length = draw.choice([1, 2, 3, 6, 12, 40])
        yield "".join(_stray(draw) if newer and draw.random() < 0.07 else draw.choice(parts) for _ in range(length))


def _stray(draw: random.Random) -> str:
    return chr(draw.choice([draw.randrange(0x3000), draw.randrange(0x1000, 0xD800), draw.randrange(0xE000, 0x20000)]))


def _bert_steps() -> list[Pair]:
    out = []
    for number in range(24):
        clean, chinese, lower = bool(number & 1), bool(number & 2), bool(number & 4)
        accents = (None, True, False)[number // 8]
        step = {"type": "bert", "clean_text": clean, "handle_chinese_chars": chinese}
        step |= {"strip_accents": accents, "lowercase": lower}
        out.append((step, normalizers.BertNormalizer(clean, chinese, accents, lower)))
    return out


def _replaced(kind: str, pattern: str, content: str) -> Pair:
    step = {"type": "replace", "pattern": {kind: pattern}, "content": content}
    return step, normalizers.Replace(Regex(pattern) if kind == "regex" else pattern, content)


STEPS: list[Pair] = [
    ({"type": "nfc"}, normalizers.NFC()),
    ({"type": "nfd"}, normalizers.NFD()),
    ({"type": "nfkc"}, normalizers.NFKC()),
    ({"type": "nfkd"}, normalizers.NFKD()),
    ({"type": "lowercase"}, normalizers.Lowercase()),
    ({"type": "strip", "left": True, "right": True}, normalizers.Strip(True, True)),
    ({"type": "strip", "left": True, "right": False}, normalizers.Strip(True, False)),
    ({"type": "strip", "left": False, "right": True}, normalizers.Strip(False, True)),
    ({"type": "strip-accents"}, normalizers.StripAccents()),
    ({"type": "nmt"}, normalizers.Nmt()),
    ({"type": "prepend", "text": "▁"}, normalizers.Prepend("▁")),
    ({"type": "prepend", "text": "xyé"}, normalizers.Prepend("xyé")),
    _replaced("literal", " ", "▁"),
    _replaced("literal", "'", ""),
    _replaced("regex", r"\s+", " "),
    _replaced("regex", r"\w+", "<é>"),
    _replaced("regex", r"[ab]\b", "-"),
    *_bert_steps(),
]

_BEHAVIORS = ("removed", "isolated", "merged-with-previous", "merged-with-next", "contiguous")
_PATTERNS = (
    ("literal", " "),
    ("literal", "a"),
    ("literal", ""),
    ("regex", r"\s+"),
    ("regex", r"\w+|[^\w\s]+"),
    ("regex", r"\d"),
    ("regex", r"\p{L}+(?=\s)"),
    ("regex", "$"),
    ("regex", "^."),
    ("regex", "(?i:'s|'t|'re|'ve|'m|'ll|'d)"),
    ("regex", r"\b"),
    ("regex", r"[^\r\n\p{L}\p{N}]?\p{L}+|\s+$"),
    ("regex", r"\p{N}{1,3}"),
    ("regex", r"\W*"),
    ("regex", "[一-龥぀-ゟ゠-ヿ]+"),
    ("regex", r"(?<!\p{L})a{,2}"),
    ("regex", r"\h+|."),
)


def _split_rules() -> list[Pair]:
    out = []
    for kind, pattern in _PATTERNS:
        for number in range(10):
            behavior, invert = _BEHAVIORS[number // 2], number % 2 == 1
            rule = {"type": "split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}
            theirs = Regex(pattern) if kind == "regex" else pattern
            out.append((rule, pre_tokenizers.Split(theirs, behavior.replace("-", "_"), invert)))
    return out


def _metaspaces() -> list[Pair]:
    out = []
    for number in range(12):
        mark, split = "▁_"[number % 2], number // 2 % 2 == 0
        scheme = ("always", "never", "first")[number // 4]
        rule = {"type": "metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}
        out.append((rule, pre_tokenizers.Metaspace(mark, scheme, split)))
    return out


def _byte_level(prefix: bool, regex: bool) -> Pair:
    rule = {"type": "byte-level", "add_prefix_space": prefix, "use_regex": regex}
    return rule, pre_tokenizers.ByteLevel(prefix, True, regex)


RULES: list[Pair] = [
    ({"type": "whitespace"}, pre_tokenizers.Whitespace()),
    ({"type": "whitespace-split"}, pre_tokenizers.WhitespaceSplit()),
    ({"type": "bert"}, pre_tokenizers.BertPreTokenizer()),
    ({"type": "digits", "individual": True}, pre_tokenizers.Digits(True)),
    ({"type": "digits", "individual": False}, pre_tokenizers.Digits(False)),
    ({"type": "char-delimiter", "delimiter": "1"}, pre_tokenizers.CharDelimiterSplit("1")),
    ({"type": "char-delimiter", "delimiter": "の"}, pre_tokenizers.CharDelimiterSplit("の")),
    ({"type": "unicode-scripts"}, pre_tokenizers.UnicodeScripts()),
    ({"type": "fixed-length", "length": 1}, pre_tokenizers.FixedLength(1)),
    ({"type": "fixed-length", "length": 3}, pre_tokenizers.FixedLength(3)),
    *[
        ({"type": "punctuation", "behavior": name}, pre_tokenizers.Punctuation(name.replace("-", "_")))
        for name in _BEHAVIORS
    ],
    *_metaspaces(),
    *[_byte_level(prefix, regex) for prefix in (True, False) for regex in (True, False)],
    *_split_rules(),
]


def joined_steps(seed: int, count: int) -> Iterator[tuple[list[dict[str, Any]], Any]]:
    """Each step alone, then sequences."""
    for picked in _picked(STEPS, seed, count):
        yield [ours for ours, _ in picked], normalizers.Sequence([theirs for _, theirs in picked])


def joined_rules(seed: int, count: int) -> Iterator[tuple[list[dict[str, Any]], Any]]:
    """Each rule alone, then sequences."""
    for picked in _picked(RULES, seed, count):
        yield [ours for ours, _ in picked], pre_tokenizers.Sequence([theirs for _, theirs in picked])


def _picked(pairs: list[Pair], seed: int, count: int) -> Iterator[list[Pair]]:
    draw = random.Random(seed)
    yield from ([pair] for pair in pairs)
    for _ in range(count):
        yield draw.sample(pairs, draw.choice([2, 3]))
