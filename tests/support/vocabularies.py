"""Hand-made vocabularies, small enough to reason about, each with one thing that goes wrong easily.

``SPECS`` maps a name to a Spec; together they have every segmenter, kind and setting that a SentencePiece file can have.
``OTHER_SPECS`` are those that it cannot hold. ``BYTE_SPECS`` are those whose pieces are bytes, drawn by a seed,
with every splitter. ``alphabet`` gives the characters and pieces from which texts for a Spec are best made. Real files are
in ``data.py``, trained ones in ``made.py``.
"""

from __future__ import annotations

import dataclasses
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from anypiece.reference.split import NAMES
from anypiece.spec import Added, Kind, Pieces, Spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BYTE_SPECS", "OTHER_SPECS", "SPECS", "alphabet"]

Rows = list[tuple[str, float, int]]

HEAD: Rows = [("<unk>", 0.0, Kind.UNKNOWN), ("<s>", 0.0, Kind.CONTROL), ("</s>", 0.0, Kind.CONTROL)]
BYTES: Rows = [(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]

WORDS = {
    "▁": -2.5, "a": -3.0, "b": -3.25, "c": -4.5, "h": -4.0, "e": -2.75, "l": -3.5, "o": -3.1, "▁a": -2.9, "▁b": -4.1,
    "ab": -4.4, "▁ab": -4.2, "he": -3.9, "▁he": -3.6, "ll": -4.7, "hello": -6.5, "▁hello": -6.1, "lo": -4.9, "é": -7.0,
    "あ": -6.0, "い": -6.3, "あい": -7.5, "語": -8.0, "aa": -5.9, "ba": -5.2, "cab": -7.7, "▁▁": -5.0, "o▁a": -6.6,
}  # fmt: skip
"""A plain vocabulary with pieces that share parts, one across a space."""


def _rows(scores: Mapping[str, float], kind: int = Kind.NORMAL) -> Rows:
    return [(piece, score, kind) for piece, score in scores.items()]


def _ranks(pieces: Iterable[str]) -> dict[str, float]:
    """Scores as score-merge BPE has them: the rank, negated."""
    return {piece: float(-rank) for rank, piece in enumerate(pieces)}


def _spec(*rows: Rows, **settings: Any) -> Spec:
    return Spec(Pieces.of([*HEAD, *(row for part in rows for row in part)]), bos_id=1, eos_id=2, **settings)


def _user_defined(*pieces: str) -> Rows:
    return [(piece, 0.0, Kind.USER_DEFINED) for piece in pieces]


def _unused(**scores: float) -> Rows:
    return _rows(scores, Kind.UNUSED)


CONTROLS: Rows = [("@", 0.0, Kind.CONTROL), ("z", 0.0, Kind.CONTROL)]
"""Of one character: char and BPE look a lone symbol up among the controls first, word a whole word."""

MERGES = _ranks([
    "ab", "▁a", "▁ab", "he", "ll", "hell", "hello", "▁hello", "aa", "aaa", "aaaa", "ba", "aba", "あい", "▁▁", "o▁", "ca",
    "bc", "abc", "cab", "▁", "a", "b", "c", "h", "e", "l", "o", "あ", "い",
])  # fmt: skip
EXACT = {"▁": -1.0, "a": -1.0, "aa": -2.0, "aaa": -3.0, "b": -1.0, "ab": -2.0, "ba": -2.0, "▁a": -2.0}
HIGH = {"▁": 3.0, "a": 40000.5, "aa": 80001.25, "b": 0.0, "ab": 39999.5, "bb": -0.5, "▁a": 40003.75}
TIED = {"ab": -1.0, "ba": -1.0, "aa": -1.0, "bb": -1.0, "aba": -1.0, "bab": -2.0, "abab": -2.0, "a": -9.0, "b": -9.0}
LETTERS = {"▁": -1.0, "a": -2.0, "b": -2.5}
SUFFIXED = {piece[1:] + "▁" if piece[0] == "▁" and len(piece) > 1 else piece: score for piece, score in WORDS.items()}
SPACED = {piece.replace("▁", " "): score for piece, score in WORDS.items()}
DEEP = {
    "▁": -33333.3,
    "a": -14000.7,
    "b": -20000.1,
    "aa": -28001.3,
    "ab": -34000.8,
    "ba": -34000.9,
    "bb": -40000.3,
    "▁a": -47334.0,
}
NEAR = {
    "▁": -2.1,
    "a": -1.1,
    "aa": -2.2,
    "aaa": -3.3,
    "aaaa": -4.4000001,
    "b": -0.7,
    "ab": -1.8,
    "aab": -2.9,
    "ba": -1.8000001,
}

WORDPIECES = dict.fromkeys([
    "a", "b", "h", "he", "hello", "ab", " a", " ", "あ", "あい", "\n", "the", "'", "!", "##", "#", "##a", "##b", "##ab",
    "##l", "##llo", "##lo", "##い", "##a##b", "##he", "## ", "##é", "[", "##]", "##0",
], 0.0)  # fmt: skip
"""Pieces of chunks, among them some that are spelled with the prefix alone, or twice."""
PLAMO = {"a": -999.9999, "b": -1000.0001, "ab": -2000.0, "ba": -1999.9999, "aa": -1999.9998, "bb": 3.00005, "h": 2.5,
         "あ": -0.00005}  # fmt: skip
"""Scores around those of unknown characters and of pieces that never match, and such that end in a half."""


def _marked(pieces: Iterable[str]) -> dict[str, float]:
    """The same pieces as llama.cpp spells them, and the prefix alone."""
    spelled = [piece.removeprefix("##") if piece.startswith("##") else f"▁{piece}" for piece in pieces]
    return {piece: 0.0 for piece in [*spelled, "▁"] if piece}


def _bert(lowercase: bool, **changes: bool) -> dict[str, Any]:
    options = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": lowercase}
    return {"type": "bert", **options, **changes}


def _chunked(*rows: Rows, **settings: Any) -> Spec:
    off: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    return _spec(*rows, **off | settings)


def _doubles(spec: Spec) -> Spec:
    """The same with scores that are no floats, so that ties of floats are none here."""
    scores = spec.pieces.scores.astype(np.float64) * (1 + 2.0**-40)
    return spec.replace(pieces=dataclasses.replace(spec.pieces, scores=scores))


SPECS: dict[str, Spec] = {
    "unigram": _spec(_rows(WORDS)),
    "unigram-old": _spec(_rows(WORDS), arithmetic="f64-compared", user_defined_score="near-best"),
    "unigram-ties": _spec(_rows(EXACT)),
    "unigram-near-ties": _spec(_rows(NEAR)),
    "unigram-near-ties-old": _spec(_rows(NEAR), arithmetic="f64-compared", user_defined_score="near-best"),
    "unigram-deep": _spec(_rows(DEEP)),
    "unigram-deep-old": _spec(_rows(DEEP), arithmetic="f64-compared", user_defined_score="near-best"),
    "unigram-high": _spec(_rows(HIGH)),
    "unigram-no-characters": _spec(_rows({"ab": -1.0, "abc": -1.5, "▁a": -1.0, "bc": -2.0, "あい": -3.0})),
    "unigram-bytes": _spec(BYTES, _rows(WORDS), byte_fallback=True),
    "unigram-user-defined": _spec(_user_defined("<sep>", "ab", "▁x", "a b", "  ", "あ", "lo"), _rows(
        {piece: score for piece, score in WORDS.items() if piece not in ("ab", "あ", "lo")}
    )),
    "unigram-user-defined-old": _spec(_user_defined("<sep>", "hel", "bab"), _rows(WORDS), user_defined_score="near-best",
                                      arithmetic="f64-compared"),
    "unigram-unused": _spec(_rows(WORDS), _unused(hell=-0.5, bb=-0.1, z=-0.1, ello=-1.0)),
    "unigram-suffix": _spec(_rows(SUFFIXED), whitespace_as_suffix=True),
    "unigram-no-escape": _spec(_rows(SPACED), escape_whitespaces=False),
    "unigram-no-prefix": _spec(_rows(WORDS), add_dummy_prefix=False),
    "unigram-keep-spaces": _spec(_rows(WORDS), remove_extra_whitespaces=False),
    "unigram-bare": _spec(_rows(WORDS), add_dummy_prefix=False, remove_extra_whitespaces=False, unk_surface="?"),
    "bpe": _spec(_rows(MERGES), segmenter="bpe"),
    "bpe-ties": _spec(_rows(TIED), segmenter="bpe", add_dummy_prefix=False),
    "bpe-bytes": _spec(BYTES, _rows(MERGES), segmenter="bpe", byte_fallback=True, remove_extra_whitespaces=False),
    "bpe-user-defined": _spec(_user_defined("<sep>", "aab", "l", "▁▁▁", "  "), _rows(
        {piece: score for piece, score in MERGES.items() if piece != "l"}
    ), segmenter="bpe"),
    "bpe-unused": _spec(_rows(MERGES), _unused(abab=-0.5, cc=-0.2, ccc=-0.3, heab=-1.5), segmenter="bpe"),
    "bpe-no-characters": _spec(_rows(_ranks(["ab", "abc", "bc", "▁ab", "aa"])), segmenter="bpe"),
    "bpe-suffix": _spec(_rows(_ranks(["ab", "a▁", "ab▁", "b▁", "▁", "a", "b"])), segmenter="bpe", whitespace_as_suffix=True),
    "bpe-no-escape": _spec(_rows(_ranks([piece.replace("▁", " ") for piece in MERGES])), segmenter="bpe",
                           escape_whitespaces=False),
    "char": _spec(_rows({"▁": -1.0, "a": -2.0, "b": -2.5, "あ": -3.0, "é": -4.0}), segmenter="char"),
    "char-user-defined": _spec(_user_defined("<sep>", "ab", "あい"), _rows(LETTERS), segmenter="char"),
    "char-bytes": _spec(BYTES, _rows({"▁": -1.0, "a": -2.0, "あ": -3.0}), segmenter="char", byte_fallback=True),
    "char-suffix": _spec(_rows(LETTERS), segmenter="char", whitespace_as_suffix=True),
    "char-control": _spec(CONTROLS, _rows(LETTERS), segmenter="char"),
    "bpe-control": _spec(CONTROLS, _rows(MERGES), segmenter="bpe"),
    "word-control": _spec(CONTROLS, BYTES, _rows({"▁a": -1.0, "a": -2.0}), segmenter="word", byte_fallback=True,
                          add_dummy_prefix=False),
    "word": _spec(_rows({"▁a": -1.0, "▁ab": -2.0, "▁hello": -2.5, "▁あい": -3.0, "▁": -3.5, "a": -4.0}), segmenter="word"),
    "word-bytes": _spec(BYTES, _rows({"▁a": -1.0, "▁ab": -2.0}), segmenter="word", byte_fallback=True),
    "word-user-defined": _spec(_user_defined("<sep>", "▁ab"), _rows({"▁a": -1.0, "▁<sep>": -2.0}), segmenter="word"),
    "word-keep-spaces": _spec(_rows({"▁a": -1.0, "▁": -2.0}), segmenter="word", remove_extra_whitespaces=False),
}  # fmt: skip
"""Every hand-made vocabulary of this kind. Names that end in ``-old`` are what the file means to releases up to 0.2.1."""

OTHER_SPECS: dict[str, Spec] = {
    "unigram-near-ties-double": _spec(_rows(NEAR), arithmetic="f64"),
    "unigram-deep-double": _spec(_rows(DEEP), arithmetic="f64"),
    "unigram-double": _doubles(_spec(_rows(WORDS), arithmetic="f64", match_kinds="spelled")),
    "unigram-double-bytes": _spec(BYTES, _rows(WORDS), byte_fallback=True, arithmetic="f64", match_kinds="spelled"),
    "bpe-control-matched": _spec(CONTROLS, _rows(MERGES), segmenter="bpe", reserved="matched"),
    "bpe-unused-characters": _spec(_rows(MERGES), _unused(q=-0.5, z=-0.2, qa=-0.1), segmenter="bpe"),
    "bpe-unused-matched": _spec(_rows(MERGES), _unused(q=-0.5, z=-0.2, qa=-0.1), segmenter="bpe", reserved="matched"),
    "char-control-matched": _spec(CONTROLS, _rows(LETTERS), _unused(q=-1.0), segmenter="char", reserved="matched"),
    "word-control-matched": _spec(CONTROLS, BYTES, _rows({"▁a": -1.0, "a": -2.0}), _unused(ab=-1.0), segmenter="word",
                                  byte_fallback=True, add_dummy_prefix=False, reserved="matched"),
    "wordpiece": _chunked(_rows(WORDPIECES), segmenter="wordpiece", splitter="gpt2"),
    "wordpiece-unsplit": _chunked(_rows(WORDPIECES), segmenter="wordpiece", max_word_chars=None),
    "wordpiece-limit": _chunked(_rows(WORDPIECES), segmenter="wordpiece", splitter="o200k", max_word_chars=3),
    "wordpiece-marked": _chunked(_rows(_marked(WORDPIECES)), segmenter="wordpiece", splitter="cl100k", word_prefix="▁",
                                 continuing_prefix="", max_word_chars=None),
    "wordpiece-bytes": _chunked(BYTES, CONTROLS, _rows(WORDPIECES), segmenter="wordpiece", splitter="qwen2",
                                byte_fallback=True),
    "wordpiece-squeezed": _spec(_rows(WORDPIECES), segmenter="wordpiece", splitter="gpt2", escape_whitespaces=False),
    "wordpiece-escaped": _spec(_rows(_marked(WORDPIECES)), _user_defined("<sep>"), _unused(hel=0.0), segmenter="wordpiece",
                               word_prefix="▁", continuing_prefix="", max_word_chars=12, add_dummy_prefix=False),
    "wordpiece-bert": _chunked(_rows(WORDPIECES), segmenter="wordpiece", normalizer=(_bert(True),),
                               split_rules=({"type": "bert"},),
                               decoder=({"type": "wordpiece", "prefix": "##", "cleanup": True},)),
    "wordpiece-bert-cased": _chunked(_rows(WORDPIECES), segmenter="wordpiece", normalizer=(_bert(False, clean_text=False),),
                                     split_rules=({"type": "bert"},), max_word_chars=5),
    "word-level": _chunked(CONTROLS, _rows({"a": 0.0, "hello": 0.0, " a": 0.0, "あい": 0.0, " ": 0.0}), _unused(ab=0.0),
                           segmenter="word-level", splitter="gpt2"),
    "word-level-bytes": _chunked(BYTES, _rows({"a": 0.0, "hello": 0.0, "語": 0.0}), segmenter="word-level",
                                 byte_fallback=True, splitter="llama3"),
    "word-level-unsplit": _spec(_rows({"▁a": 0.0, "▁a▁b": 0.0, "▁hello": 0.0}), segmenter="word-level"),
    "plamo": _chunked(BYTES, _rows(WORDS), segmenter="plamo", byte_fallback=True),
    "plamo-ties": _chunked(BYTES, _rows(EXACT), _user_defined("<sep>"), _unused(aab=5.0), segmenter="plamo",
                           byte_fallback=True),
    "plamo-deep": _chunked(BYTES, _rows(PLAMO), segmenter="plamo", byte_fallback=True),
    "plamo-escaped": _spec(BYTES, _rows(WORDS), segmenter="plamo", byte_fallback=True),
}  # fmt: skip
"""Those that no SentencePiece file can hold."""

NASTY = [
    *[
        "the",
        "ab",
        "A",
        "Ab",
        "ſ",
        "é",
        "e\u0301",
        "あ",
        "語",
        "😀",
        "ǅ",
        "ª",
        "٣",
        "½",
        "Ⅷ",
        "1",
        "22",
        "4567",
        "\u0903",
        "_",
    ],
    *["'", "'s", "'ll", "'LL", "'ſ", "!", "...", "/", "//", "-", "<|", "|>", "\0", "\u200d", "\ufffd", "$"],
    *[
        " ",
        "  ",
        "   ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        " \n",
        "\n ",
        "\u00a0",
        "\u3000",
        "\u2028",
        "\x85",
        "\x1f",
        "\u200b",
    ],
]
"""Where the chunks of splitters begin and end, of Unicode that every Python here knows."""


def _byte_pieces(random: Random) -> list[bytes]:
    """Bytes in any order, what comes of joining pieces, and some that no merges may lead to."""
    pieces = [bytes([byte]) for byte in range(256)]
    random.shuffle(pieces)
    seen = list(dict.fromkeys(b"".join(text.encode() for text in NASTY)))
    joined = [bytes([byte]) for byte in seen] + [text.encode()[:2] for text in NASTY]
    for _ in range(120):
        text = "".join(random.choices(NASTY, k=random.randint(1, 3))).encode()
        start = random.randrange(len(text))
        joined.append(text[start : start + random.randint(2, 5)])
        joined.append(random.choice(joined) + random.choice(joined))
    found = [piece[:24] for piece in joined if len(piece) > 1]
    random.shuffle(found)
    return list(dict.fromkeys([*pieces, *found]))


def _byte_spec(name: str, splitter: str | None, whole_chunks: bool, segmenter: Any = "bpe") -> Spec:
    random = Random(f"bytes {name}")
    every = 3 if random.random() < 0.5 else 1  # some have ties
    rows = [(piece, 0.0 - rank // every, Kind.NORMAL) for rank, piece in enumerate(_byte_pieces(random))]
    specials = [(b"", 0.0, Kind.UNUSED), (b"<|a|>", 0.0, Kind.CONTROL), ("<|あ|>".encode(), 0.0, Kind.CONTROL)]
    off: dict[str, Any] = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    return Spec(
        Pieces.of([*rows, *specials]),
        segmenter=segmenter,
        symbols="bytes",
        splitter=splitter,
        whole_chunks=whole_chunks,
        added=Added.of((str(text, "utf-8"), len(rows) + 1 + at, 1) for at, (text, _, _) in enumerate(specials[1:])),
        unk_surface="",
        arithmetic="f64" if segmenter == "unigram" else "f32-rebased",
        **off,
    )


BYTE_SPECS: dict[str, Spec] = {
    f"bytes-{splitter or 'unsplit'}{'' if whole else '-merged'}": _byte_spec(f"{splitter} {whole}", splitter, whole)
    for splitter in (None, *NAMES)
    for whole in ((True, False) if splitter in (None, "gpt2", "cl100k", "o200k") else (True,))
}
BYTE_SPECS |= {
    "greedy": _byte_spec("greedy", None, False, "greedy"),
    "greedy-split": _byte_spec("greedy split", "gpt2", False, "greedy"),
    "bytes-unigram": _byte_spec("unigram", "lines", False, "unigram"),
    "bytes-unigram-unsplit": _byte_spec("unigram unsplit", None, False, "unigram"),
    "bytes-unigram-gpt2": _byte_spec("unigram gpt2", "gpt2", False, "unigram"),
}
"""Vocabularies of bytes. Names that end in ``-merged`` are without whole chunks."""


def alphabet(spec: Spec) -> list[str]:
    """Pieces of a Spec (but for the bytes) and characters around them: what texts for it are made of."""
    if spec.symbols == "bytes":
        return [*NASTY, *(piece.decode("utf-8", "ignore") for piece, _, _ in spec.pieces if len(piece) > 1)]
    pieces = [piece.decode() for piece, _, kind in spec.pieces if kind is not Kind.BYTE]
    return [
        *pieces,
        *"abchelo",
        " ",
        "  ",
        "▁",
        "\t",
        "\n",
        "é",
        "e\u0301",
        "あ",
        "い",
        "語",
        "😀",
        "\0",
        "\ufffd",
        "<0x41>",
        "z",
    ]
