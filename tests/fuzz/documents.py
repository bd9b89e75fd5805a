"""Files of the ``tokenizer.json`` format that hurt by what their fields mean: stages that grow text or are repeated, nested
deeply, or given what does not fit.

A document is small and mostly right, so that it loads and its stages run. A ``family`` says which of them is made to hurt.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz.values import deep, number, pattern, size, text, with_misfit
from tests.support.hf import added

__all__ = ["FAMILIES", "document", "spelled"]

Section = dict[str, Any]
_BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_SCHEMES = ("always", "never", "first")
_TOO_MANY = 400_000
"""A file of more bytes says nothing that a smaller one does not."""


def _pattern(rng: Random, *, regex: float = 0.5) -> dict[str, str]:
    return {"Regex": pattern(rng)} if rng.random() < regex else {"String": text(rng)}


def _growing(rng: Random) -> Section:
    """A replacement that makes text longer, of a character that texts have."""
    found, made = rng.choice(
        (("a", "aa"), ("a", "a a"), (" ", "  "), ("▁", "▁▁"), ("b", "ab" * 9), ("", "x"), ("e", "\u0344"))
    )
    wanted = {"String": found} if rng.random() < 0.7 else {"Regex": rng.choice((found, ".", "", "a*", r"\b", r"(?=a)"))}
    return {"type": "Replace", "pattern": wanted, "content": made}


_NORMALIZERS: tuple[Callable[[Random], Section], ...] = (
    lambda rng: {"type": rng.choice(("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"))},
    lambda rng: {"type": rng.choice(("NFKD", "NFKC"))},
    lambda rng: {"type": "Prepend", "prepend": text(rng)},
    lambda rng: {"type": "Strip", "strip_left": rng.random() < 0.5, "strip_right": rng.random() < 0.5},
    lambda rng: {"type": "Replace", "pattern": _pattern(rng), "content": text(rng)},
    _growing,
    lambda rng: {
        "type": "BertNormalizer",
        "clean_text": rng.random() < 0.5,
        "handle_chinese_chars": rng.random() < 0.5,
        "strip_accents": rng.choice((None, True, False)),
        "lowercase": rng.random() < 0.5,
    },
    lambda rng: {"type": "Precompiled", "precompiled_charsmap": rng.choice(("", "AAAA", "AAQAAA==", text(rng)))},
)
_PRE_TOKENIZERS: tuple[Callable[[Random], Section], ...] = (
    lambda rng: {"type": rng.choice(("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"))},
    lambda rng: {
        "type": "Split",
        "pattern": _pattern(rng, regex=0.8),
        "behavior": rng.choice(_BEHAVIORS),
        "invert": rng.random() < 0.3,
    },
    lambda rng: {"type": "Punctuation", "behavior": rng.choice(_BEHAVIORS)},
    lambda rng: {"type": "Digits", "individual_digits": rng.random() < 0.5},
    lambda rng: {"type": "CharDelimiterSplit", "delimiter": rng.choice(("a", " ", "", "ab", "é", "\ud800"))},
    lambda rng: {"type": "FixedLength", "length": number(rng)},
    lambda rng: {
        "type": "Metaspace",
        "replacement": rng.choice(("▁", "▁", "a", "", "ab", " ")),
        "prepend_scheme": rng.choice(_SCHEMES),
        "split": rng.random() < 0.7,
    },
    lambda rng: {"type": "ByteLevel", "add_prefix_space": rng.random() < 0.5, "use_regex": rng.random() < 0.5},
)
_DECODERS: tuple[Callable[[Random], Section], ...] = (
    lambda rng: {"type": rng.choice(("ByteLevel", "ByteFallback", "Fuse"))},
    lambda rng: {"type": "Replace", "pattern": _pattern(rng, regex=0.4), "content": text(rng)},
    _growing,
    _growing,
    lambda rng: {
        "type": "Strip",
        "content": rng.choice(("a", " ", "▁", "", "ab")),
        "start": number(rng),
        "stop": number(rng),
    },
    lambda rng: {"type": "WordPiece", "prefix": text(rng), "cleanup": rng.random() < 0.5},
    lambda rng: {"type": "Metaspace", "replacement": "▁", "prepend_scheme": rng.choice(_SCHEMES), "split": True},
    lambda rng: {"type": "BPEDecoder", "suffix": text(rng)},
    lambda rng: {
        "type": "CTC",
        "pad_token": text(rng),
        "word_delimiter_token": text(rng),
        "cleanup": rng.random() < 0.5,
    },
)


def _template_piece(rng: Random) -> Section:
    if rng.random() < 0.5:
        return {"SpecialToken": {"id": rng.choice(("<s>", "</s>", "no", "\ud800")), "type_id": number(rng)}}
    return {"Sequence": {"id": rng.choice("AB"), "type_id": number(rng)}}


def _template(rng: Random) -> Section:
    ids = [rng.choice((5, 6, 6, number(rng))) for _ in range(size(rng) if rng.random() < 0.3 else 1)]
    token = {"id": "<s>", "ids": ids, "tokens": [rng.choice(("<s>", "x"))] * len(ids)}
    single = [{"Sequence": {"id": "A", "type_id": 0}}, *(_template_piece(rng) for _ in range(size(rng)))]
    pair = [
        {"Sequence": {"id": "A", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
        *(_template_piece(rng) for _ in range(size(rng))),
    ]
    specials = {"<s>": token, "</s>": {"id": "</s>", "ids": [6], "tokens": ["</s>"]}}
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": specials}


_POST_PROCESSORS: tuple[Callable[[Random], Section], ...] = (
    _template,
    _template,
    lambda rng: {"type": "BertProcessing", "sep": ["</s>", number(rng)], "cls": ["<s>", rng.choice((5, number(rng)))]},
    lambda rng: {
        "type": "RobertaProcessing",
        "sep": ["</s>", 6],
        "cls": ["<s>", 5],
        "trim_offsets": rng.random() < 0.5,
        "add_prefix_space": rng.random() < 0.5,
    },
    lambda rng: {"type": "ByteLevel", "add_prefix_space": rng.random() < 0.5, "trim_offsets": rng.random() < 0.5},
)
_LISTS = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "decoder": "decoders",
    "post_processor": "processors",
}
_KINDS = {
    "normalizer": _NORMALIZERS,
    "pre_tokenizer": _PRE_TOKENIZERS,
    "decoder": _DECODERS,
    "post_processor": _POST_PROCESSORS,
}


def _hurtful(rng: Random, place: str) -> Any:
    """A section: one stage, a sequence, one or two repeated very often, or a sequence in a sequence."""
    draw, makers, listed = rng.random(), _KINDS[place], _LISTS[place]
    if draw < 0.2:
        return rng.choice(makers)(rng)
    if draw < 0.5:
        some = [rng.choice(makers)(rng) for _ in range(rng.randint(1, 6))]
    elif draw < 0.8:
        few = [rng.choice(makers)(rng) for _ in range(rng.randint(1, 2))]
        some = few * min(size(rng), max(1, _TOO_MANY // (2 * len(json.dumps(few)))))
    else:
        inner = rng.choice(makers)(rng)
        length = len(json.dumps(inner))
        for _ in range(rng.choice((2, 20, 120, 400))):
            copies = rng.choice((1, 1, 1, 2)) if 2 * length < _TOO_MANY // 2 else 1
            inner = {"type": "Sequence", listed: [inner] * copies}
            length = length * copies + len(listed) + 30
        return inner
    return {"type": "Sequence", listed: some}


def _letters() -> list[str]:
    return ["<unk>", "a", "b", "ab", "c", "<s>", "</s>", " ", "▁", "e", "▁a", "aa"]


def _model(rng: Random) -> Section:
    vocab = {name: id for id, name in enumerate(_letters())}
    kind = rng.choice(("BPE", "BPE", "Bytes", "WordPiece", "WordLevel", "Unigram"))
    if kind == "Unigram":
        return {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [[name, -1.0 - id] for name, id in vocab.items()],
            "byte_fallback": False,
        }
    if kind == "WordLevel":
        return {"type": "WordLevel", "unk_token": "<unk>", "vocab": vocab}
    if kind == "WordPiece":
        made = {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##", "vocab": vocab}
        return {**made, "max_input_chars_per_word": rng.choice((100, number(rng)))}
    made = {"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": [["a", "b"], ["a", "a"], ["▁", "a"]]}
    if kind == "Bytes":
        size_before = len(vocab)
        vocab |= {f"<0x{byte:02X}>": size_before + byte for byte in range(256)}
        made["byte_fallback"] = True
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        if rng.random() < 0.1:
            made[name] = text(rng)
    return made


def _added(rng: Random) -> list[Section]:
    """Added tokens: often those that each stage has to look at, and very many of them."""
    rows = [added(0, "<unk>"), added(5, "<s>"), added(6, "</s>")]
    first = 12 + 256
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    for index in range(size(rng) if rng.random() < 0.7 else 0):
        name = rng.choice((f"a{index}", "a" * (index % 300 + 1), text(rng), f"<{index}>"))
        rows.append(
            added(
                rng.choice((first + index, first + index, number(rng))), name, **{f: rng.random() < 0.5 for f in flags}
            )
        )
    return rows


def document(rng: Random, family: str) -> Section:
    """A document in which the stages of the family hurt; the others are as in a usual file, or are absent."""
    made: Section = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added(rng)
        if family == "added-tokens"
        else [added(0, "<unk>"), added(5, "<s>"), added(6, "</s>")],
        **dict.fromkeys(_KINDS),
        "model": _model(rng),
    }
    for place in FAMILIES[family]:
        made[place] = _hurtful(rng, place) if rng.random() < 0.8 else rng.choice(_KINDS[place])(rng)
    if family == "patterns":
        _put_patterns(rng, made)
    if rng.random() < 0.35:
        place = rng.choice((*FAMILIES[family], *FAMILIES[family], *made))
        made[place] = deep(rng, made[place]) if rng.random() < 0.05 else with_misfit(rng, made[place])
    return made


FAMILIES: dict[str, tuple[str, ...]] = {
    "normalizers": ("normalizer",),
    "pre-tokenizers": ("pre_tokenizer",),
    "decoders": ("decoder",),
    "post-processors": ("post_processor",),
    "patterns": (),
    "added-tokens": ("normalizer",),
}
"""What is made to hurt, and the sections of a file that this is about."""


def _put_patterns(rng: Random, made: Section) -> None:
    """Patterns wherever they can stand, one or many."""
    count = rng.choice((1, 1, 2, 5, 40))
    normalizers = [
        {"type": "Replace", "pattern": {"Regex": pattern(rng)}, "content": rng.choice(("", "b"))} for _ in range(count)
    ]
    splits = [
        {
            "type": "Split",
            "pattern": {"Regex": pattern(rng)},
            "behavior": rng.choice(_BEHAVIORS),
            "invert": rng.random() < 0.3,
        }
        for _ in range(count)
    ]
    decoders = [
        {"type": "Replace", "pattern": {"Regex": pattern(rng)}, "content": rng.choice(("", "b"))} for _ in range(count)
    ]
    for place, stages in (("normalizer", normalizers), ("pre_tokenizer", splits), ("decoder", decoders)):
        if rng.random() < 0.5:
            made[place] = {"type": "Sequence", _LISTS[place]: stages}


def spelled(value: Any) -> bytes:
    """The bytes of a document. Lone surrogates are escapes, numbers that are not finite are too large for a double."""
    try:
        said = json.dumps(value, ensure_ascii=True)
    except RecursionError:  # deeper than this writer goes: as deep as a file of that size can be
        said = '{"model": ' + "[" * (_TOO_MANY // 4) + "]" * (_TOO_MANY // 4) + ', "added_tokens": []}'
    return said.replace("Infinity", "1e400").replace("NaN", "1e999").encode()[:_TOO_MANY]
