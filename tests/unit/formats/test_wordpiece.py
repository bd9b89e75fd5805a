"""vocab.txt: lines and ids, whose case, what is refused, the same file again."""

from __future__ import annotations

from typing import Any

import pytest

import anypiece as ap
from anypiece import Kind
from anypiece.formats import sniff, wordpiece

NAMES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[unused0]",
    "play",
    "##ing",
    "##s",
    "cafe",
    "日",
    "##本",
    "!",
    "the",
]
FILE = "\n".join([*NAMES, ""]).encode()
CASED = "\n".join([*NAMES, "The", ""]).encode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_there_and_back(end: str, last: bool) -> None:
    data = (end.join(NAMES) + end * last).encode()
    assert sniff(data, "a file") == "wordpiece"
    spec, origin = wordpiece.read(data, lowercase=True)
    assert [spec.pieces.piece(id) for id in range(len(NAMES))] == NAMES
    assert wordpiece.write(spec, origin) == data
    assert (spec.bos_id, spec.eos_id, spec.pad_id, spec.unk_id) == (2, 3, 0, 1)


def test_ids() -> None:
    tok = ap.Tokenizer(wordpiece.read(FILE, lowercase=True)[0])
    assert tok.encode_pieces("Playing the CAFÉ!") == ["play", "##ing", "the", "cafe", "!"]
    assert tok.encode_pieces("日本") == ["日", "本"], "a Chinese character is a word, and this one is not known"
    assert tok.encode("日本") == [10, 1]
    assert [(token.start, token.end) for token in tok.encode_spans("a Café")] == [(0, 1), (2, 6)]
    assert tok.encode("plays", add_special=True) == [2, 6, 8, 3]


def test_decoding_and_pairs() -> None:
    tok = ap.Tokenizer(wordpiece.read(FILE, lowercase=True)[0])
    assert tok.decode(tok.encode("The Playing !")) == "the playing!"
    assert tok.decode([2, 6, 8, 3]) == "[CLS] plays [SEP]"
    pair = tok.encode_pair("the", "play", add_special=True)
    assert (list(pair.ids), list(pair.type_ids)) == ([2, 13, 3, 6, 3], [0, 0, 0, 1, 1])


def test_special_tokens_are_a_permission() -> None:
    tok = ap.Tokenizer(wordpiece.read(FILE, lowercase=True)[0])
    controls = {0, 2, 3, 4}
    assert controls.isdisjoint(tok.encode("[CLS] play [SEP]"))
    assert tok.encode("[CLS] play[MASK]", specials="parse") == [2, 6, 4]
    assert all(tok.kind(id) == Kind.CONTROL for id in controls)


def test_capital_letters_tell_the_case() -> None:
    tok = ap.Tokenizer(wordpiece.read(CASED)[0])
    assert tok.encode("The the") == [14, 13]
    assert wordpiece.read(CASED, lowercase=True)[0].normalizer[0]["lowercase"] is True


def test_no_capital_letters_tell_nothing() -> None:
    with pytest.raises(ap.FormatError) as caught:
        wordpiece.read(FILE)
    assert caught.value.code == "definition-unknown"
    assert "lowercase=" in str(caught.value)


def test_accents_can_be_kept() -> None:
    spec, _ = wordpiece.read(FILE, lowercase=True, strip_accents=False)
    assert ap.Tokenizer(spec).encode("CAFÉ") == [1]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (FILE + b"\n", 15),
        (FILE + b"play\n", 15),
        (FILE + b"\xff\n", 15),
        (FILE.replace(b"[UNK]", b"[UNX]"), 14),
    ],
)
def test_refused(data: bytes, line: int) -> None:
    with pytest.raises(ap.FormatError) as caught:
        wordpiece.read(data, lowercase=True)
    assert caught.value.code == "file-corrupt"
    assert caught.value.facts["line"] == line


@pytest.mark.parametrize(
    "data", [b"", b"[UNK]\n", b"##a\nb\n", b"a text with [UNK] and\n##b\n", b"[UNK]\n##a b\n", b"[UNK]\n##a\0\n"]
)
def test_not_taken_for_one(data: bytes) -> None:
    assert not wordpiece.looks_like(data)


@pytest.mark.parametrize(
    "changes",
    [{"max_word_chars": 5}, {"normalizer": ()}, {"pieces": ap.Pieces.of([("a", 0.0, Kind.UNKNOWN)])}, {"bos_id": None}],
)
def test_only_such_vocabularies_are_written(changes: dict[str, Any]) -> None:
    with pytest.raises(ap.FormatError) as caught:
        wordpiece.write(wordpiece.read(FILE, lowercase=True)[0].replace(**changes))
    assert caught.value.code == "format-unwritable"


def test_a_stream_gives_out_what_stands_before_a_space() -> None:
    tok = ap.Tokenizer(wordpiece.read(FILE, lowercase=True)[0])
    stream = tok.stream_encoder()
    parts = [stream.push(part) for part in ["play", "ing th", "e", " CAF", "É", "!"]]
    assert parts == [[], [6, 7], [], [13], [], []]
    assert stream.flush() == [9, 12]
