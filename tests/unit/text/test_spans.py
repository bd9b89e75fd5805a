"""Spans of many texts at once are those of each text: where tokens cover the text, and where they do not."""

from __future__ import annotations

import random

import numpy as np
import pytest

import anypiece as ap
from anypiece import Added, AddedFlag, Kind, Pieces, Spec, Tokenizer, _native
from anypiece.text.coverage import coverage_of

PLAIN = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
BYTES = [(bytes([byte]), 0.0, Kind.NORMAL) for byte in range(256)]
WORDS = [
    "[UNK]",
    "hell",
    "##o",
    "##es",
    "wor",
    "##ld",
    ",",
    ".",
    "e",
    "##e",
    "#",
    "##\u2019",
    "\u2019",
    "[MASK]",
    "\u0131",
]
TEXTS = [
    "", " ", "hello world", "Hello,  world.\n", "h\u00e9llo \u2019", "hel\x00lo", "unknown", "e\u0301", "hello [MASK] o",
    "\u0130", "##o", "日本", "a\u00a0b", "seventy one", "hello" * 30, "\t\thello\r\n", "\ufffd",
]  # fmt: skip


def byte_level(**changes: object) -> Tokenizer:
    rows = [*BYTES, ("he", 0.0, 1), ("  ", 0.0, 1), (" w", 0.0, 1), ("\u00e9", 0.0, 1), ("<x>", 0.0, 1)]
    flags = AddedFlag.LSTRIP if changes.pop("strips", False) else AddedFlag(0)
    pieces = Pieces.of([(raw, -float(place), kind) for place, (raw, _, kind) in enumerate(rows)])
    added = Added.of([("<x>", len(rows) - 1, flags)])
    return Tokenizer(Spec(pieces, segmenter="bpe", symbols="bytes", unk_surface="", added=added, **PLAIN, **changes))


def wordpiece(**changes: object) -> Tokenizer:
    rows = [(word, 0.0, Kind.UNKNOWN if word == "[UNK]" else Kind.NORMAL) for word in WORDS]
    bert = {"clean_text": True, "handle_chinese_chars": True, "lowercase": True, "strip_accents": None}
    options = {
        "normalizer": ({"type": "bert", **bert},),
        "split_rules": ({"type": "bert"},),
        "added": Added.of([("[MASK]", WORDS.index("[MASK]"), AddedFlag.SPECIAL)]),
    }
    return Tokenizer(Spec(Pieces.of(rows), segmenter="wordpiece", unk_surface="", **PLAIN, **{**options, **changes}))


TOKENIZERS = {
    "bytes": byte_level(),
    "bytes that are normalized": byte_level(normalizer=({"type": "nfc"},)),
    "bytes with trimmed spans": byte_level(trim_spans="all"),
    "bytes with spans trimmed inside": byte_level(trim_spans="inner"),
    "bytes with a token that takes spaces": byte_level(strips=True),
    "words": wordpiece(),
    "words with trimmed spans": wordpiece(trim_spans="all"),
    "words of white space": wordpiece(split_rules=({"type": "whitespace-split"},)),
    "sentencepiece": ap.load(),
    "an added token is the unknown one": wordpiece(
        added=Added.of([(name, WORDS.index(name), AddedFlag.SPECIAL) for name in ("[UNK]", "[MASK]")])
    ),
}


def each(
    tok: Tokenizer, texts: list[str | bytes], unit: str | None, **options: object
) -> list[list[tuple[int, int, int]]]:
    return [[(one.id, one.start, one.end) for one in tok.encode_spans(text, unit, **options)] for text in texts]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("unit", [None, "char", "byte"])
@pytest.mark.parametrize("specials", ["text", "parse"])
def test_a_batch_is_each_text(name: str, unit: str | None, specials: str) -> None:
    tok, raw = TOKENIZERS[name], [text.encode() for text in TEXTS]
    marked = [*TEXTS, "hello<x> hello  <x>", "<x>\u00e9<x>"]
    for texts in (marked, raw, [*TEXTS, *raw], [*TEXTS, "lone \ud800 surrogate"], [b"\xff he\xc3"], []):
        found = tok.encode_spans_batch(texts, unit, specials=specials)
        assert found.tolist() == each(tok, texts, unit, specials=specials)
        assert (len(found), found.ids.dtype, found.starts.dtype) == (len(texts), np.uint32, np.int64)


@pytest.mark.parametrize("name", ["bytes", "words", "sentencepiece"])
@pytest.mark.parametrize("add_special", [True, "bos", "eos"])
def test_what_stands_around_a_text_has_a_place(name: str, add_special: bool) -> None:
    tok = TOKENIZERS[name].replace(bos_id=3, eos_id=4)
    assert tok.encode_spans_batch(TEXTS, add_special=add_special).tolist() == each(
        tok, TEXTS, None, add_special=add_special
    )
    framed = tok.replace(single=((3, 0), ("A", 0), (4, 0)))
    assert framed.encode_spans_batch(TEXTS, add_special=True).tolist() == each(framed, TEXTS, None, add_special=True)


def test_most_texts_are_not_segmented_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("segmented again")

    monkeypatch.setattr(_native, "encode_words", refused)
    assert len(TOKENIZERS["bytes"].encode_spans_batch(TEXTS)) == len(TEXTS)
    assert TOKENIZERS["words"].encode_spans_batch(["hello,\x00 world\u2019", "H\u00e9lloes"]).lengths.tolist() == [6, 3]
    # Long ones too, whose UTF-8 Python does not keep.
    long = ["hello \u00e9 " * 60, "h\u00e9llo\u2019 " * 60, "hello\n" * 60]
    for name in ("bytes", "words"):
        tok = TOKENIZERS[name]
        rows = [len(tok.encode(text)) for text in long]
        assert tok.encode_spans_batch(long).lengths.tolist() == rows


def laid(text: str, lengths: list[int], classes: bytes) -> list[tuple[int, int]] | None:
    """The definition: tokens lie along the characters that are kept; None if these are others, or one is unclear."""
    if any(ord(one) >= len(classes) or classes[ord(one)] == 2 for one in text):
        return None
    kept = [place for place, one in enumerate(text) if classes[ord(one)] == 1]
    if sum(lengths) != len(kept):
        return None
    ends = np.cumsum(lengths).tolist()
    return [(kept[end - length], kept[end - 1] + 1) for end, length in zip(ends, lengths, strict=True)]


@pytest.mark.parametrize("alphabet", ["ab c\n", "a\u00e9 \u2019", "ab\x00 \x7f", "a#b "])
def test_tokens_lie_along_what_is_kept(alphabet: str) -> None:
    draws = random.Random(3)
    usual = bytearray([2]) * 0x2046
    usual[33:127], usual[0xE9], usual[0x2019] = bytes([1]) * 94, 1, 1
    usual[32] = usual[0] = usual[10] = 0
    odd = bytearray(usual)
    odd[ord("#")] = 0
    sizes = np.arange(201, dtype=np.uint32)
    fitting = 0
    for number in range(600):
        classes = bytes(odd if number % 2 else usual)
        weights = [9, 3, 2, *[0.05] * (len(alphabet) - 3)]
        text = "".join(draws.choices(alphabet, weights, k=number % 300))
        left, lengths = sum(classes[ord(one)] == 1 for one in text), []
        while left > 0 or draws.random() < 0.02:
            lengths.append(draws.choice([1, 2, 3, 5, 64, 65, 200]))
            lengths[-1] = min(lengths[-1], left) if left > 0 and draws.random() < 0.99 else lengths[-1]
            left -= lengths[-1]
        ids, bounds = np.array(lengths, np.uint32), np.array([0, len(lengths)], np.int64)
        starts, ends, fits = _native.lay_tokens([text], ids, bounds, sizes, classes, False, True)
        wanted = laid(text, lengths, classes)
        fitting += bool(fits[0])
        assert bool(fits[0]) is (wanted is not None)
        assert wanted is None or list(zip(starts.tolist(), ends.tolist(), strict=True)) == wanted
    assert fitting > 50


def test_lengths_say_nothing_where_text_is_rewritten() -> None:
    assert coverage_of(ap.load()) is None
    assert coverage_of(wordpiece(normalizer=({"type": "prepend", "text": "a"},))) is None
    assert coverage_of(byte_level(normalizer=({"type": "nfkc"},))) is None
    found = coverage_of(TOKENIZERS["words"])
    assert found is not None
    assert found.lengths[: len(WORDS)].tolist() == [0, 4, 1, 2, 3, 2, 1, 1, 1, 1, 1, 1, 1, 6, 1]


def test_a_row_and_its_arguments() -> None:
    tok = TOKENIZERS["bytes"]
    batch = tok.encode_spans_batch(["he", "hehe"], threads=2)
    assert [row.ends.tolist() for row in batch] == [[2], [2, 4]]
    assert batch[-1].starts.tolist() == [0, 2]
    assert repr(batch) == "<SpanBatch of 2 texts, 3 tokens>"
    with pytest.raises(IndexError):
        batch[2]
    for wrong in (("he",), ([5],), (None,)):
        with pytest.raises(ap.InputTypeError):
            tok.encode_spans_batch(*wrong)  # type: ignore[arg-type]
    with pytest.raises(ap.InputError, match="unit"):
        tok.encode_spans_batch(["he"], "words")  # type: ignore[arg-type]


def test_columns_that_do_not_fit_are_refused() -> None:
    ids, lengths = np.array([1], np.uint32), np.array([1, 1], np.uint32)
    for bounds in ([0, 2], [0], [1, 0], [-1, 1]):
        with pytest.raises(_native.NativeError):
            _native.lay_tokens(["a"], ids, np.array(bounds, np.int64), lengths, b"", True, True)
    with pytest.raises(_native.NativeError):
        _native.lay_tokens(["a"], ids[::-1][::2].repeat(4)[::2], np.array([0, 1]), lengths, b"", True, True)
