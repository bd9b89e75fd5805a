"""Tokenizer.json documents drawn by a seed from every component there is, with every option, composed at random.

Unlike ``documents`` nothing is left out here: many of these are refused, by us or by the library, and some make it panic.
"""

from __future__ import annotations

from base64 import b64encode
from random import Random
from typing import Any

from tests.parity.documents import ATOMS, BEHAVIORS, LETTERS, REGEXES
from tests.support.charsmap_builder import build

__all__ = ["drawn_document", "drawn_texts"]

Section = dict[str, Any]

PLAIN = ["a", "b", "c", "ab", "A", " ", "é", "日", "1", ".", "▁", "<", "Ġ", "\n", "\u0301"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
STRINGS = (" ", "a", "ab", "▁", "é", "x", "", "aa", "Ġ", "<")
CONTENTS = ("", " ", "▁", "xy", "a", "\u0301", "é", "<0x41>", "  ")
NAMES = (
    "<s>",
    "[x y]",
    "<|end|>",
    "ab!",
    " z",
    "tok",
    "Tok ",
    "ß!",
    "a",
    "ab",
    "é",
    "É",
    "▁b",
    "Ġa",
    "<unk>",
    "##b",
    "<0x41>",
)
MORE_REGEXES = (
    *REGEXES,
    r"(?<!\n)^",
    r"^ ",
    r"a{2,1}",
    r"a*",
    r"$",
    r"\b",
    r"(?=a)",
    r"[^a]",
    r"\S+$",
    r".",
    r"a{,2}b?",
)
MAPS = [{"A": "a", "ﬁ": "fi", "\xa0": " ", "é": "e"}, {"a": "", "b": "bb"}, {"ab": "x", "\u0301": ""}]
FLAGS = ("special", "lstrip", "rstrip", "single_word", "normalized")


def drawn_texts(seed: int | str, document: Section, count: int = 10) -> list[str]:
    """Short texts for a document, with its pieces and added tokens in them."""
    rng = Random(f"texts {seed}")
    vocab = document["model"]["vocab"]
    names = [row[0] for row in vocab] if isinstance(vocab, list) else list(vocab)
    pieces = [name for name in rng.sample(names, min(12, len(names))) if name not in BYTES] or ["a"]
    marks = [row["content"] for row in document["added_tokens"]] or ["a"]
    groups = [ATOMS, PLAIN, PLAIN, ["a", "b", " ", "ab"], pieces, marks]
    groups.append([chr(rng.choice((rng.randrange(0x80, 0x3000), rng.randrange(0xE000, 0x1F700)))) for _ in range(4)])
    sizes = [rng.choice((1, 2, 3, 4, 6, 9, 14)) for _ in range(count)]
    texts = ["", *("".join(rng.choice(rng.choice(groups)) for _ in range(size)) for size in sizes)]
    return [*texts, texts[-1] * rng.choice((2, 9, 40))]


def drawn_document(seed: int | str) -> Section:
    """The document of a seed."""
    rng = Random(f"drawn {seed}")
    kind = rng.choice(("bytes", "bytes", "BPE", "BPE", "Unigram", "WordPiece", "WordLevel"))
    rules = [_rule(rng) for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))]
    steps = [_normalizer(rng) for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))]
    if kind == "bytes" and rng.random() < 0.15:
        steps.append({"type": "ByteLevel"})
    elif kind == "bytes":
        rules.insert(rng.randint(0, len(rules)) if rng.random() < 0.3 else len(rules), _byte_level(rng))
    model = {"bytes": _bytes, "BPE": _merges, "Unigram": _unigram, "WordPiece": _words, "WordLevel": _whole_words}[
        kind
    ](rng)
    model = _renumbered(rng, model)
    added = _added(rng, model)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": _nested(rng, steps, "normalizers"),
        "pre_tokenizer": _nested(rng, rules, "pretokenizers"),
        "post_processor": _processor(rng, model, added),
        "decoder": _decoder(rng, kind == "bytes"),
        "model": model,
    }


def _chance(rng: Random, share: float = 0.5) -> bool:
    return rng.random() < share


def _nested(rng: Random, sections: list[Section], name: str) -> Section | None:
    """A sequence of some of them, sometimes with a sequence in it."""
    if not sections:
        return None
    if len(sections) == 1 and _chance(rng, 0.8):
        return sections[0]
    if len(sections) > 2 and _chance(rng, 0.3):
        sections = [sections[0], {"type": "Sequence", name: sections[1:]}]
    return {"type": "Sequence", name: sections}


def _pattern(rng: Random) -> Section:
    return {"String": rng.choice(STRINGS)} if _chance(rng) else {"Regex": rng.choice(MORE_REGEXES)}


def _normalizer(rng: Random) -> Section:
    flags = {name: _chance(rng) for name in ("clean_text", "handle_chinese_chars", "lowercase")}
    return rng.choice((
        *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", "StripAccents")),
        {"type": "Strip", "strip_left": _chance(rng), "strip_right": _chance(rng)},
        {"type": "Replace", "pattern": _pattern(rng), "content": rng.choice(CONTENTS)},
        {"type": "Replace", "pattern": _pattern(rng), "content": rng.choice(CONTENTS)},
        {"type": "Prepend", "prepend": rng.choice(("▁", "a ", ""))},
        {"type": "BertNormalizer", "strip_accents": rng.choice((None, True, False)), **flags},
        {"type": "Precompiled", "precompiled_charsmap": b64encode(build(rng.choice(MAPS))).decode()},
        *([{"type": "ByteLevel"}] if _chance(rng, 0.2) else []),
    ))  # fmt: skip


def _byte_level(rng: Random) -> Section:
    return {"type": "ByteLevel", "add_prefix_space": _chance(rng, 0.3), "trim_offsets": True, "use_regex": _chance(rng)}


def _metaspace(rng: Random) -> Section:
    scheme = rng.choice(("always", "first", "never"))
    return {"type": "Metaspace", "replacement": rng.choice("▁▁_Ġ"), "prepend_scheme": scheme, "split": _chance(rng)}


def _rule(rng: Random) -> Section:
    return rng.choice((
        *({"type": name} for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")),
        {"type": "CharDelimiterSplit", "delimiter": rng.choice("a b1▁")},
        {"type": "Digits", "individual_digits": _chance(rng)},
        {"type": "Punctuation", "behavior": rng.choice(BEHAVIORS)},
        {"type": "FixedLength", "length": rng.randint(1, 5)},
        _metaspace(rng),
        *({"type": "Split", "pattern": _pattern(rng), "behavior": rng.choice(BEHAVIORS), "invert": _chance(rng, 0.3)}
          for _ in range(2)),
        *([_byte_level(rng)] if _chance(rng, 0.1) else []),
    ))  # fmt: skip


def _decoder(rng: Random, is_bytes: bool) -> Section | None:
    if is_bytes and _chance(rng, 0.4):
        return _byte_level(rng)
    made = [
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Replace", "pattern": _pattern(rng), "content": rng.choice(CONTENTS)},
        _metaspace(rng),
        {"type": "WordPiece", "prefix": rng.choice(("##", "a", "")), "cleanup": _chance(rng)},
        {"type": "BPEDecoder", "suffix": rng.choice(("a", "</w>"))},
        {"type": "CTC", "pad_token": rng.choice(("a", "<s>")), "word_delimiter_token": rng.choice("▁|a"),
         "cleanup": _chance(rng)},
        {"type": "Strip", "content": rng.choice(" a▁"), "start": rng.randint(0, 2), "stop": rng.randint(0, 2)},
        _byte_level(rng),
    ]  # fmt: skip
    return _nested(rng, rng.sample(made, rng.choice((0, 1, 1, 2, 3))), "decoders")


def _processor(rng: Random, model: Section, added: list[Section]) -> Section | None:
    vocab = model["vocab"]
    ids = {row[0]: id for id, row in enumerate(vocab)} if isinstance(vocab, list) else vocab
    ids = ids | {row["content"]: row["id"] for row in added}
    first, last = (rng.choice(sorted(ids, key=ids.__getitem__)) for _ in range(2))
    trim = {"trim_offsets": _chance(rng), "add_prefix_space": _chance(rng)}
    slot = {"Sequence": {"id": "A", "type_id": 0}}
    marks = [{"SpecialToken": {"id": name, "type_id": rng.randint(0, 1)}} for name in (first, last)]
    tokens = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in (first, last)}
    template = {"type": "TemplateProcessing", "single": [*marks[:1], slot, *marks[1:]],
                "pair": [slot, *marks, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": tokens}  # fmt: skip
    pair = {"sep": [last, ids[last]], "cls": [first, ids[first]]}
    level = {**_byte_level(rng), **trim}
    return rng.choice((
        None, None, template, level, {"type": "BertProcessing", **pair}, {"type": "RobertaProcessing", **pair, **trim},
        {"type": "Sequence", "processors": [level, template]}, {"type": "Sequence", "processors": [template, level]},
    ))  # fmt: skip


def _added(rng: Random, model: Section) -> list[Section]:
    size = len(model["vocab"])
    names = rng.sample(NAMES, rng.choice((0, 0, 1, 2, 4)))
    rows, free = [], size
    vocab = model["vocab"]
    ids = {row[0]: id for id, row in enumerate(vocab)} if isinstance(vocab, list) else vocab
    for name in names + names[:1] * _chance(rng, 0.05):
        flags = {flag: _chance(rng, 0.3) for flag in FLAGS}
        id = ids.get(name, free)
        if name in ids and _chance(rng, 0.7):
            flags["special"] = False
        free += name not in ids
        rows.append({"id": id, "content": name, **flags})
    return rows


def _numbered(names: list[str]) -> dict[str, int]:
    return {name: id for id, name in enumerate(dict.fromkeys(names))}


def _renumbered(rng: Random, model: Section) -> Section:
    """Sometimes with ids in another order, with gaps, or with the empty string as a piece."""
    vocab = model["vocab"]
    if isinstance(vocab, list) or _chance(rng, 0.8):
        return model
    names = list(vocab) + ([""] if _chance(rng, 0.3) else [])
    ids = list(range(len(names) + (rng.randint(1, 3) if _chance(rng, 0.3) else 0)))
    rng.shuffle(ids)
    return {**model, "vocab": dict(zip(names, ids, strict=False))}


def _grown(rng: Random, symbols: list[str], prefix: str, count: int) -> tuple[list[str], list[list[str]]]:
    """Symbols with what merges make of them, and the merges: the right side loses its prefix."""
    names, merges = list(symbols), []
    common = [name for name in symbols if name.removeprefix(prefix)[:1] in "abcĠ日Ãæ©1 "] or symbols
    for _ in range(count):
        left, right = rng.choice([*common, *names[len(symbols) :]]), rng.choice([*common, *names[len(symbols) :]])
        if not right.startswith(prefix) or [left, right] in merges or len(left + right) > 12:
            continue
        made = left + right.removeprefix(prefix)
        merges.append([left, right])
        names += [made] if made and made not in names else []
    return names, merges


def _bpe(rng: Random, symbols: list[str], whole: list[str]) -> Section:
    prefix, suffix = rng.choice(("", "", "", "##")), rng.choice(("", "", "", "</w>", "b"))
    named = [form for name in symbols for form in (name, prefix + name, name + suffix, prefix + name + suffix)]
    if prefix or suffix:
        named = [name for name in named if _chance(rng, 0.9)]
    names, merges = _grown(rng, list(dict.fromkeys(named)), prefix, rng.randint(1, 25))
    unknown = rng.choice((None, "<unk>", "<unk>", "a"))
    fallback = _chance(rng, 0.35)
    share = rng.choice((1.0, 1.0, 0.9))
    bytes_ = [name for name in BYTES if _chance(rng, share)] if fallback or _chance(rng, 0.1) else []
    vocab = _numbered([*([unknown] if unknown else []), *names, *whole, *bytes_])
    return {
        "type": "BPE", "unk_token": unknown, "vocab": vocab, "merges": merges, "fuse_unk": _chance(rng),
        "continuing_subword_prefix": prefix or None, "end_of_word_suffix": suffix or None,
        "byte_fallback": fallback, "ignore_merges": _chance(rng, 0.3), "dropout": None,
    }  # fmt: skip


def _bytes(rng: Random) -> Section:
    letters = LETTERS if _chance(rng, 0.6) else [letter for letter in LETTERS if _chance(rng, 0.8)]
    texts = rng.sample((" cé", "日本", "don't", "aé語", "\n\n", "a b"), rng.randint(0, 3))
    return _bpe(rng, letters, ["".join(LETTERS[byte] for byte in text.encode()) for text in texts])


def _merges(rng: Random) -> Section:
    symbols = rng.sample(sorted({character for atom in ATOMS for character in atom}), 25)
    return _bpe(rng, ["a", "b", *symbols], rng.sample(ATOMS, 3))


def _unigram(rng: Random) -> Section:
    atoms = [atom for atom in ATOMS if len(atom) < 4]
    names = {"".join(rng.choices(atoms, k=rng.randint(1, 3))) for _ in range(30)} | set(rng.sample(atoms, 20))
    fallback = _chance(rng, 0.4)
    pieces = [*sorted(names), *(BYTES if fallback else BYTES[:2] * _chance(rng, 0.1))]
    rows = [[name, -rng.randint(1, 4000) / 256] for name in pieces]
    place = rng.choice((0, 0, len(rows) // 2))
    rows.insert(place, ["<unk>", rng.choice((0.0, 0.0, -3.5, -20.0))])
    return {"type": "Unigram", "unk_id": place, "vocab": rows, "byte_fallback": fallback}


def _words(rng: Random) -> Section:
    prefix = rng.choice(("##", "##", "", "a", "▁"))
    names = [*rng.sample(ATOMS, 25), *(prefix + atom for atom in rng.sample(ATOMS, 25)), "a", f"{prefix}b"]
    options = {"continuing_subword_prefix": prefix, "max_input_chars_per_word": rng.choice((0, 1, 5, 100))}
    return {"type": "WordPiece", "unk_token": "[UNK]", "vocab": _numbered(["[UNK]", *names]), **options}


def _whole_words(rng: Random) -> Section:
    names = ["".join(rng.choices(ATOMS, k=rng.randint(1, 2))) for _ in range(40)]
    return {"type": "WordLevel", "unk_token": "?", "vocab": _numbered(["?", "a", "ab", *names])}
