"""Byte-level vocabularies with every decoder, and the byte-level decoder with every vocabulary, against tokenizers."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece.formats.huggingface.model import BYTE_CHARACTERS
from anypiece.reference import ReferenceTokenizer
from tests.support.hf import added

if TYPE_CHECKING:
    from pathlib import Path

LETTERS = [chr(character) for character in BYTE_CHARACTERS]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
STRIP = {"type": "Strip", "content": "Ġ", "start": 1, "stop": 0}
DECODERS: dict[str, Any] = {
    "none": None,
    "fuse": {"type": "Fuse"},
    "strip": STRIP,
    "replace": {"type": "Replace", "pattern": {"String": "Ġ"}, "content": " "},
    "metaspace": {"type": "Metaspace", "replacement": "Ġ", "prepend_scheme": "always", "split": True},
    "wordpiece": {"type": "WordPiece", "prefix": "Ġ", "cleanup": True},
    "suffix": {"type": "BPEDecoder", "suffix": "a"},
    "ctc": {"type": "CTC", "pad_token": "a", "word_delimiter_token": "Ġ", "cleanup": True},
    "fallback": {"type": "ByteFallback"},
    "before": {"type": "Sequence", "decoders": [STRIP, BYTE_LEVEL]},
    "behind": {"type": "Sequence", "decoders": [BYTE_LEVEL, {"type": "Strip", "content": " ", "start": 2, "stop": 0}]},
    "plain": BYTE_LEVEL,
}
ADDED = [
    *(added(258, "é"), added(259, " x y"), added(260, "日"), added(261, "<0x41>")),
    *(added(262, "New", special=False, normalized=True), added(257, "Ġa", special=False)),
]


def both(folder: Path, **sections: Any) -> tuple[ap.Tokenizer, Original]:
    parts = ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    whole = json.dumps({"version": "1.0", "added_tokens": [], **dict.fromkeys(parts), **sections})
    (folder / "tokenizer.json").write_text(whole)
    return ap.load(folder / "tokenizer.json"), Original.from_str(whole)


def assert_equal(tok: ap.Tokenizer, other: Original, folder: Path) -> None:
    tok.save(folder / "again.json")
    tok.save(folder / "a.anypiece")
    read = [ap.load(folder / "again.json"), ap.load(folder / "a.anypiece")]
    library = Original.from_file(str(folder / "again.json"))
    plain = ReferenceTokenizer(tok.spec)
    rng = Random(5)
    for _ in range(150):
        ids = [rng.randrange(tok.vocab_size) for _ in range(rng.randint(0, 8))]
        for skip in (False, True):
            expected = other.decode(ids, skip_special_tokens=skip)
            assert tok.decode(ids, skip_special=skip) == expected, ids
            assert all(one.decode(ids, skip_special=skip) == expected for one in read)
            assert library.decode(ids, skip_special_tokens=skip) == expected
        assert plain.decode(ids) == tok.decode(ids)
        stream = tok.stream_decoder()
        assert "".join([*(stream.push([id]) for id in ids), stream.flush()]) == tok.decode(ids)
    for text in ("ab a é x y", "日本New", ""):
        assert tok.encode(text, specials="parse") == other.encode(text).ids


@pytest.mark.parametrize("name", DECODERS)
def test_byte_level_vocabularies(name: str, tmp_path: Path) -> None:
    vocab = {letter: id for id, letter in enumerate(LETTERS)} | {"ab": 256, "Ġa": 257}
    model = {"type": "BPE", "vocab": vocab, "merges": [["a", "b"], ["Ġ", "a"]]}
    stages = {"pre_tokenizer": BYTE_LEVEL, "normalizer": {"type": "Lowercase"}}
    tok, other = both(tmp_path, model=model, added_tokens=ADDED, decoder=DECODERS[name], **stages)
    assert (tok.spec.decoder is None) == (name == "plain")
    assert_equal(tok, other, tmp_path)


@pytest.mark.parametrize("name", ["before", "behind", "plain"])
def test_the_byte_level_decoder_of_other_vocabularies(name: str, tmp_path: Path) -> None:
    names = ["?", "a", "Ã", "©", "Ġ", "日", "é", "ÿ", "Ã©日", "Ġb"]
    model = {"type": "WordLevel", "unk_token": "?", "vocab": {name: id for id, name in enumerate(names)}}
    stages = {"pre_tokenizer": {"type": "WhitespaceSplit"}}
    tok, other = both(tmp_path, model=model, added_tokens=[added(10, "é é")], decoder=DECODERS[name], **stages)
    assert_equal(tok, other, tmp_path)


def test_letters_are_for_bytes_alone() -> None:
    unigram = ap.load().spec
    with pytest.raises(ap.SpecError, match="byte-letters"):
        ap.Tokenizer(unigram.replace(decoder=({"type": "byte-letters"}, {"type": "fuse"})))
