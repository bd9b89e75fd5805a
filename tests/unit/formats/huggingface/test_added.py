"""tokenizer.json: added tokens against tokenizers where other sections have a say in them, and the spans of tokens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Original

import anypiece as ap
from anypiece.formats import huggingface
from anypiece.formats.huggingface.model import BYTE_CHARACTERS
from anypiece.reference import ReferenceTokenizer
from tests.support.hf import added, document

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES = {chr(character): byte for byte, character in enumerate(BYTE_CHARACTERS)} | {"ab": 256}
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
        "lowercase": True}  # fmt: skip
MARK = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
SEQUENCE = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, MARK]}
LLAMA = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}


def byte_level(**sections: Any) -> dict[str, Any]:
    """A small byte-level file."""
    model = {"type": "BPE", "vocab": BYTES, "merges": [["a", "b"]]}
    return document(**{"added_tokens": [], "pre_tokenizer": LEVEL, "decoder": LEVEL, "model": model, **sections})


def loaded(made: dict[str, Any]) -> tuple[ap.Tokenizer, Original]:
    content = json.dumps(made)
    return ap.Tokenizer(huggingface.read(content.encode())[0]), Original.from_str(content)


def same(made: dict[str, Any], texts: Iterable[str]) -> ap.Tokenizer:
    """Ids, spans and text of both ways to decode are those of the library."""
    tok, other = loaded(made)
    for text in texts:
        answer = other.encode(text, add_special_tokens=False)
        tokens = tok.encode_spans(text, specials="parse")
        assert [token.id for token in tokens] == tok.encode(text, specials="parse") == answer.ids, text
        assert [(token.start, token.end) for token in tokens] == answer.offsets, text
        for skip in (False, True):
            assert tok.decode(answer.ids, skip_special=skip) == other.decode(answer.ids, skip_special_tokens=skip)
        stream = tok.stream_decoder()
        shown = [*(stream.push([id]) for id in answer.ids), stream.flush()]
        assert "".join(shown) == tok.decode(answer.ids) == ReferenceTokenizer(tok.spec).decode(answer.ids)
    return tok


class TestNormalizedForms:
    """What is looked for in normalized text decodes to what the normalizer made of it."""

    def test_wordpiece(self) -> None:
        vocab = {"[UNK]": 0, "a": 1, "##b": 2, "É": 3}
        model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                 "max_input_chars_per_word": 100, "vocab": vocab}  # fmt: skip
        rows = (("NewTok", False), ("É", False), ("<S>", True))
        tokens = [added(4, text, normalized=True, special=special) for text, special in rows]
        decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
        made = document(
            model=model,
            added_tokens=[*tokens, added(6, "<U>")],
            normalizer=BERT,
            pre_tokenizer={"type": "BertPreTokenizer"},
            decoder=decoder,
        )
        tok = same(made, ["a NEWTOK é <S> <U> <u>", "ab newtok"])
        assert tok.decode(tok.encode("a NEWTOK é")) == "a newtok e"
        assert huggingface.read(huggingface.write(tok.spec, None))[0] == tok.spec

    def test_a_special_one_is_skipped_if_its_form_is_special(self) -> None:
        rows = (("<S>", True), ("<s>", True), ("<T>", False), ("<t>", True))
        tokens = [added(5, text, special=special, normalized=text.isupper()) for text, special in rows]
        made = document(added_tokens=[added(0, "<unk>"), *tokens], normalizer={"type": "Lowercase"})
        tok, other = loaded(made)
        for ids in ([5, 1], [6, 1], [7, 1], [8, 1]):
            for skip in (False, True):
                assert tok.decode(ids, skip_special=skip) == other.decode(ids, skip_special_tokens=skip), ids

    def test_marks_in_front(self) -> None:
        """As in files that were made of Llama's, where all specials are normalized."""
        vocab = {"<unk>": 0, "<s>": 1, "▁": 2, "a": 3, "▁a": 4, "b": 5, **{f"<0x{n:02X}>": 6 + n for n in range(256)}}
        model = {"type": "BPE", "unk_token": "<unk>", "byte_fallback": True, "fuse_unk": True,
                 "vocab": vocab, "merges": [["▁", "a"]]}  # fmt: skip
        tokens = [added(id, text, normalized=True) for id, text in ((0, "<unk>"), (1, "<s>"))]
        made = document(model=model, added_tokens=tokens, normalizer=SEQUENCE, pre_tokenizer=None, decoder=LLAMA)
        same(made, ["<s>a b", "a<s> ab", "<s><unk>é"])

    @pytest.mark.parametrize("section", [{"type": "Lowercase"}, {"type": "ByteLevel"}, {"type": "NFC"}], ids=str)
    def test_byte_level(self, section: Any) -> None:
        tokens = [added(257 + place, text, special=False, normalized=True)
                  for place, text in enumerate(("NewTok", "É x", "Ġq"))]  # fmt: skip
        rules = None if section["type"] == "ByteLevel" else LEVEL
        made = byte_level(added_tokens=tokens, normalizer=section, pre_tokenizer=rules)
        same(made, ["a NewTok newtok", "É x é x", "Ġqġq q"])

    def test_letters_that_stand_for_bytes(self) -> None:
        """A token of such letters alone decodes to those bytes, whether they are text or not."""
        made = byte_level(added_tokens=[added(257, "É!"), added(258, "é", special=False)])
        same(made, ["É! é", "éab"])

    def test_what_is_nothing_is_refused(self) -> None:
        section = {"type": "Strip", "strip_left": True, "strip_right": True}
        with pytest.raises(ap.FormatError, match="nothing") as caught:
            loaded(document(added_tokens=[added(0, "<unk>"), added(5, " ", normalized=True)], normalizer=section))
        assert caught.value.code == "json-unsupported"

    def test_bytes_that_cannot_be_for_it_are_refused(self) -> None:
        for token in (added(257, "É", normalized=True), added(256, "AB", normalized=True, special=False)):
            model = {"type": "BPE", "vocab": {**BYTES, "AB": 257}, "merges": [["a", "b"]]}
            with pytest.raises(ap.FormatError, match="decoded as") as caught:
                loaded(byte_level(added_tokens=[token], normalizer={"type": "Lowercase"}, model=model))
            assert caught.value.code == "json-unsupported"


class TestTrimming:
    """Spans lose the white space that is in what was found, not in what it is called."""

    TEXTS = ("ab <mask> ab", " <mask>", "  <mask> ", "\u3000<mask>\n ab", "a<mask>", "<mask> <mask>", " ab  ab")

    @pytest.mark.parametrize("prefix", [False, True])
    @pytest.mark.parametrize(
        "flags", [{"lstrip": True}, {"rstrip": True}, {"lstrip": True, "normalized": True}], ids=str
    )
    def test_byte_level(self, prefix: bool, flags: dict[str, bool]) -> None:
        made = byte_level(
            added_tokens=[added(257, "<mask>", **flags)], post_processor={**LEVEL, "add_prefix_space": prefix}
        )
        tok = same(made, self.TEXTS)
        assert tok.encode_spans(" <mask>", specials="parse")[-1].piece == "<mask>"
        rows = tok.sample_spans("ab \u3000<mask>", 0.0, "byte", seed=1, specials="parse", method="dropout")
        assert (rows[-1].piece, rows[-1].end) == ("<mask>", 12)

    def test_an_unknown_word_is_seen_as_the_unknown_piece(self) -> None:
        split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithNext", "invert": False}
        model = {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "ab": 1, " ab": 2, "\u3000ab": 3, "Ġab": 4}}
        made = document(
            model=model, added_tokens=[added(0, "?", lstrip=True)], pre_tokenizer=split, post_processor=LEVEL
        )
        tok = same(made, ["ab cd", "ab ab cd", "\u3000ab", "Ġab", "ab ?", " cd"])
        assert [token.piece for token in tok.encode_spans("ab cd")] == ["ab", " cd"]


class TestOddByteLevels:
    """Bytes as characters before other stages look at them."""

    def test_what_touches_a_word_is_a_letter(self) -> None:
        token = added(257, "abc", single_word=True, normalized=True, special=False)
        made = byte_level(normalizer={"type": "ByteLevel"}, pre_tokenizer=None, added_tokens=[token])
        with pytest.raises(ap.FormatError, match="single word") as caught:
            loaded(made)
        assert caught.value.code == "json-unsupported"

    @pytest.mark.parametrize("flag", ["lstrip", "rstrip"])
    def test_no_white_space_is_left(self, flag: str) -> None:
        token = added(257, "abc", normalized=True, special=False, **{flag: True})
        made = byte_level(normalizer={"type": "ByteLevel"}, pre_tokenizer=None, added_tokens=[token])
        same(made, ["ab abc abc.", "abc  \nabc"])

    def test_white_space_that_is_none_any_more(self) -> None:
        tokens = [added(257, "\n", normalized=True, special=False)]
        sections: dict[str, Any] = {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": None}
        same(byte_level(**sections, added_tokens=tokens), ["a\nb"])
        with pytest.raises(ap.FormatError, match="white space") as caught:
            loaded(byte_level(**sections, added_tokens=tokens, post_processor=LEVEL))
        assert caught.value.code == "json-unsupported"

    @pytest.mark.parametrize("scheme", ["first", "always", "never"])
    @pytest.mark.parametrize("mark", ["▁", "a"])
    def test_a_mark_that_stands_for_no_byte(self, scheme: str, mark: str) -> None:
        space = {"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": True}
        model = {"type": "BPE", "unk_token": "<unk>", "vocab": {**BYTES, "<unk>": 257}, "merges": [["a", "b"]]}
        made = byte_level(pre_tokenizer={"type": "Sequence", "pretokenizers": [LEVEL, space]}, model=model)
        if mark == "▁" and scheme != "never":
            with pytest.raises(ap.FormatError, match="in front of") as caught:
                loaded(made)
            assert caught.value.code == "json-unsupported"
        else:
            same(made, ["ab cd", " é ab"])

    def test_a_decoder_that_joins_what_is_one(self) -> None:
        fuse = {"type": "Fuse"}
        same(byte_level(decoder={"type": "Sequence", "decoders": [LEVEL, fuse, fuse]}), ["ab é", "日 ab"])
        same(byte_level(decoder={"type": "Sequence", "decoders": [fuse, LEVEL]}), ["ab é", "日 ab"])


class TestGaps:
    """Added tokens are numbered by how many pieces there are, which in a vocabulary with gaps is an id within it."""

    def test_in_a_gap(self) -> None:
        model = {"type": "BPE", "vocab": {**BYTES, "zz": 300}, "merges": [["a", "b"]]}
        tokens = [added(258, "<m>"), added(300, "zz"), added(301, "<n>", special=False)]
        tok = same(byte_level(model=model, added_tokens=tokens), ["ab <m> cd", "<n>zz<m>"])
        assert tok.vocab_size == 301
        same(byte_level(model=model, added_tokens=tokens[:2]), ["ab <m> cd", "zz<m>"])

    def test_written_and_read_again(self) -> None:
        model = {"type": "BPE", "vocab": {**BYTES, "zz": 300}, "merges": [["a", "b"]]}
        tok, _ = loaded(byte_level(model=model, added_tokens=[added(258, "<m>")]))
        again = huggingface.write(tok.spec, None)
        assert huggingface.read(again)[0] == tok.spec
        assert Original.from_str(again.decode()).encode("ab<m>").ids == [256, 258]

    @pytest.mark.parametrize("decoder", [None, LLAMA, {"type": "WordPiece", "prefix": "##", "cleanup": True}], ids=str)
    def test_of_words(self, decoder: Any) -> None:
        """A gap that is asked for is no token, so that nothing stands between it and others."""
        for model in ({"type": "WordLevel"}, {"type": "WordPiece", "continuing_subword_prefix": "##"}):
            section = {**model, "unk_token": "?", "max_input_chars_per_word": 9, "vocab": {"?": 0, "a": 1, "b": 7}}
            made = document(model=section, added_tokens=[added(3, "<s>")], decoder=decoder)
            tok = same(made, ["a b<s> c", "b"])
            _, other = loaded(made)
            for ids in ([1, 2, 7], [4, 1, 7], [1, 7, 5], [2]):
                stream = tok.stream_decoder()
                shown = "".join([*(stream.push([id]) for id in ids), stream.flush()])
                wanted = other.decode(ids, skip_special_tokens=False)
                assert tok.decode(ids) == shown == ReferenceTokenizer(tok.spec).decode(ids) == wanted

    def test_the_id_of_a_piece_is_refused(self) -> None:
        model = {"type": "BPE", "vocab": {**BYTES, "zz": 258}, "merges": [["a", "b"]]}
        with pytest.raises(ap.FormatError, match="'zz'") as caught:
            loaded(byte_level(model=model, added_tokens=[added(259, "<m>")]))
        assert caught.value.code == "json-unsupported"


class TestBytesOfUnknownText:
    """Bytes of a unigram vocabulary have the span of the unknown run that they are from."""

    ROWS = (("<unk>", 0.0), ("a", -1.0), ("▁", -2.0), ("▁a", -1.5), *((f"<0x{byte:02X}>", -9.0) for byte in range(256)))

    def made(self, split: bool) -> dict[str, Any]:
        space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": split}
        model = {"type": "Unigram", "unk_id": 0, "byte_fallback": True, "vocab": self.ROWS}
        return document(model=model, added_tokens=[added(0, "<unk>")], pre_tokenizer=space, decoder=LLAMA)

    @pytest.mark.parametrize("split", [False, True])
    @given(text=st.lists(st.sampled_from(["a", "中", "é", " ", "b", "<0x41>", "😀"]), max_size=8).map("".join))
    def test_spans(self, split: bool, text: str) -> None:
        tok = same(self.made(split), [text])
        found = ReferenceTokenizer(tok.spec).encode_spans(text, chars=True)
        assert [tuple(token) for token in found] == [tuple(token) for token in tok.encode_spans(text)]

    def test_one_character(self) -> None:
        tok, _ = loaded(self.made(True))
        assert [(token.start, token.end) for token in tok.encode_spans("a中")] == [(0, 1), *[(1, 2)] * 3]
        assert [(one.start, one.end) for one in tok.sample_spans("a中", 0.0, seed=1)][-1] == (1, 2)


class TestTheEmptyString:
    """It is a piece of some vocabularies: no text becomes it, but it counts where added tokens are numbered."""

    def file(self, **sections: Any) -> dict[str, Any]:
        model = {"type": "BPE", "vocab": {**BYTES, "": 257, "<e>": 258}, "merges": [["a", "b"]]}
        return byte_level(
            model=model, added_tokens=[added(258, "<e>"), added(259, "<s>"), added(260, "<t>")], **sections
        )

    def test_added_tokens_stand_behind_it(self) -> None:
        made = self.file()
        tok = same(made, ["ab<s>", "<t>a <e>", ""])
        assert [tok.piece_to_id(name) for name in ("<e>", "<s>", "<t>")] == [258, 259, 260]
        assert tok.decode([257, 97, 257]) == "a"
        again = huggingface.write(tok.spec, None)
        assert huggingface.read(again)[0] == tok.spec
        assert Original.from_str(again.decode()).token_to_id("<t>") == 260

    @pytest.mark.parametrize(
        "decoder", [None, {"type": "WordPiece", "prefix": "##", "cleanup": False}], ids=["none", "words"]
    )
    def test_decoders_that_show_it_are_refused(self, decoder: Any) -> None:
        with pytest.raises(ap.FormatError, match="empty string") as caught:
            loaded(self.file(decoder=decoder))
        assert caught.value.code == "json-unsupported"


def test_what_a_template_puts_around_a_text_stands_nowhere() -> None:
    """Also what stands behind it, as in the library; a piece for the end of a text stands there."""
    slots = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    template = {"type": "TemplateProcessing", "single": [*slots, slots[0]], "pair": [slots[1], {"Sequence": {"id": "B",
                "type_id": 1}}], "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}}}  # fmt: skip
    tok, other = loaded(document(post_processor=template))
    for text in ("ab c", "", " a"):
        tokens = tok.encode_spans(text, add_special=True)
        assert [(token.id, token.start, token.end) for token in tokens] == [
            (id, *place) for id, place in zip(other.encode(text).ids, other.encode(text).offsets, strict=True)
        ]
    plain = ap.Tokenizer(tok.spec.replace(single=None, pair=None, eos_id=5))
    assert plain.encode_spans("ab", add_special="eos")[-1][2:] == (2, 2)
