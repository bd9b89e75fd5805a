"""GGUF files as tokenizers: what the fields mean, which ids follow, what is refused, and writing them again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypiece as ap
from anypiece.formats import gguf
from anypiece.formats.gguf.pretokenizers import PRES
from anypiece.inspect.doctor import examine
from anypiece.inspect.summary import internals
from anypiece.reference import ReferenceTokenizer
from anypiece.spec import Kind
from tests.support.charsmap_builder import build
from tests.support.data import ROOT
from tests.support.gguf import (
    bpe_file,
    bpe_rows,
    file_of,
    llama_rows,
    marked_file,
    spm_file,
    unigram_file,
    unigram_rows,
    word_file,
)

G = "tokenizer.ggml."
IDS = {text: index for index, (text, _, _) in enumerate(llama_rows())}


def tok_of(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> ap.Tokenizer:
    return ap.Tokenizer(gguf.read(spm_file(more), **options)[0])


def code_of(data: bytes, **options: Any) -> str:
    with pytest.raises(ap.AnyPieceError) as error:
        ap.Tokenizer(gguf.read(data, **options)[0])
    return str(error.value.code)


class TestMergesByScore:
    def test_every_kind_takes_part(self) -> None:
        tok = tok_of()
        assert tok.encode("abab") == [IDS["▁ab"], IDS["ab"]]
        assert tok.encode("bb") == [IDS["▁"], IDS["b"], IDS["b"]]  # no control token, though merges lead to it
        assert tok.encode("x abab") == [IDS["▁"], IDS["<0x78>"], IDS["▁ab"], IDS["ab"]]
        unprefixed = tok_of({f"{G}add_space_prefix": ("bool", False)})
        assert unprefixed.encode("abab") == [IDS["abab"]]  # an unused one stays
        assert unprefixed.encode("<un") == [IDS["<un"]]

    def test_what_no_token_covers_becomes_bytes(self) -> None:
        assert tok_of().encode("日") == [IDS["▁"], IDS["<0xE6>"], IDS["<0x97>"], IDS["<0xA5>"]]

    def test_spans(self) -> None:
        tokens = tok_of().encode_spans("é日<0x41>", "byte")
        assert [(token.start, token.end) for token in tokens][:5] == [(0, 0), (0, 2), (2, 2), (2, 2), (2, 5)]
        assert tokens[-1].end == 11

    def test_the_prefix_and_spaces(self) -> None:
        assert tok_of().encode(" ") == [IDS["▁▁"]]
        assert tok_of().encode("") == []
        assert tok_of({f"{G}add_space_prefix": ("bool", False)}).encode(" a") == [IDS["▁a"]]

    def test_decoding(self) -> None:
        tok = tok_of()
        ids = [IDS[text] for text in ("▁a", "▁ab", "<s>", "<unk>", "abab", "[X]", "<0xE6>", "<0x97>", "<0xA5>")]
        assert tok.decode(ids) == "a ab<s><unk>[X]日"
        assert tok.decode(ids[:1] * 2) == "a a"
        assert tok.decode([IDS["▁▁"]]) == " "
        assert tok.decode(ids[-3:-1]) == "\ufffd"
        assert tok.decode_bytes(ids[-3:-1]) == b"\xe6\x97"
        stream = tok.stream_decoder()
        assert "".join([*(stream.push([id]) for id in ids), stream.flush()]) == "a ab<s><unk>[X]日"

    def test_a_byte_without_a_token(self) -> None:
        rows = [row for row in llama_rows() if row[0] != "<0xE6>"]
        assert code_of(file_of("llama", rows)) == "spec-bytes"
        plain = [("\n" if row[0] == "<0x0A>" else row[0], row[1], row[2]) for row in llama_rows()]
        assert ap.Tokenizer(gguf.read(file_of("llama", plain))[0]).encode("\n") == [IDS["▁"], IDS["<0x0A>"]]


class TestFields:
    def test_marks(self) -> None:
        assert tok_of().encode("a", add_special=True) == [1, IDS["▁a"]]
        both = tok_of({f"{G}add_eos_token": ("bool", True), f"{G}bos_token_id": ("u32", 2)})
        assert both.encode("a", add_special=True) == [2, IDS["▁a"], 2]
        none = tok_of({f"{G}add_bos_token": ("bool", False)})
        assert none.encode("a", add_special=True) == [IDS["▁a"]]
        assert none.encode("a", add_special="bos") == [1, IDS["▁a"]]

    def test_ids_that_are_no_tokens_are_skipped(self) -> None:
        assert tok_of({f"{G}eos_token_id": ("u32", 1 << 30)}).eos_id == 2

    def test_kinds_by_text(self) -> None:
        names = ["<|im_end|>", "<fim_prefix>", "<PRE>", "<|channel|>", "<|return|>", "<|call|>", "<|end|>", "plain>"]
        rows = [*llama_rows(), *((name, -2000.0, 1) for name in names)]
        spec, origin = gguf.read(file_of("llama", rows))
        kinds = {name: Kind(int(spec.pieces.kinds[len(llama_rows()) + at])) for at, name in enumerate(names)}
        assert kinds == {
            "<|im_end|>": Kind.CONTROL,
            "<fim_prefix>": Kind.CONTROL,
            "<PRE>": Kind.NORMAL,  # another one plays the part
            "<|channel|>": Kind.USER_DEFINED,
            "<|return|>": Kind.CONTROL,
            "<|call|>": Kind.CONTROL,
            "<|end|>": Kind.USER_DEFINED,
            "plain>": Kind.NORMAL,
        }
        first = len(llama_rows())
        assert origin.ends == (2, first, first + 4, first + 5)

    def test_types_that_do_not_exist_print_nothing(self) -> None:
        tok = ap.Tokenizer(gguf.read(file_of("llama", [*llama_rows(), ("q", -9.0, 0), ("w", -9.0, 77)]))[0])
        assert tok.decode(tok.encode("qw")) == ""

    def test_scores_as_integers_and_without_types(self) -> None:
        rows = [row for row in llama_rows() if row[0] != "abab"]
        whole = np.array([row[1] for row in rows], np.int32)
        more: dict[str, tuple[str, Any]] = {f"{G}scores": ("i32[]", whole)}
        assert ap.Tokenizer(gguf.read(file_of("llama", rows, more))[0]).encode("ab") == [IDS["▁ab"]]

    def test_an_empty_token_gets_a_name(self) -> None:
        spec, _ = gguf.read(file_of("llama", [*llama_rows(), ("", -1.0, 1)]))
        assert spec.pieces.piece(len(spec.pieces) - 1) == f"[EMPTY_{len(llama_rows())}]"

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({f"{G}tokens": ("string", b"a")}, "gguf-field"),
            ({f"{G}scores": ("f32[]", np.zeros(3))}, "gguf-field"),
            ({f"{G}scores": ("f64[]", np.zeros(3))}, "gguf-field"),
            ({f"{G}token_type": ("u8[]", np.zeros(900))}, "gguf-field"),
            ({f"{G}add_bos_token": ("u32", 1)}, "gguf-field"),
            ({f"{G}eos_token_id": ("string", b"</s>")}, "gguf-field"),
            ({f"{G}scores": ("f32[]", np.full(900, np.nan))}, "spec-score"),
            ({f"{G}model": ("string", b"no_vocab")}, "gguf-unsupported"),
            ({f"{G}tokens": ("string[]", [b"a"] * 250)}, "gguf-field"),
            ({f"{G}tokens": ("string[]", [b"\xff%d" % at for at in range(250)])}, "spec-piece-utf8"),
            ({f"{G}tokens": ("string[]", [])}, "spec-pieces"),
        ],
    )
    def test_refused(self, more: dict[str, tuple[str, Any]], code: str) -> None:
        assert code_of(spm_file(more)) == code


class TestDialects:
    def test_the_original_keeps_symbols_whole_and_splits_unused_ones(self) -> None:
        rows = [row if row[0] != "abab" else ("abab", -3.0, 5) for row in llama_rows()]
        spec, _ = gguf.read(file_of("llama", rows), dialect="sentencepiece")
        tok = ap.Tokenizer(spec)
        assert tok.encode("x[X]") == [IDS["▁"], IDS["<0x78>"], IDS["[X]"]]
        assert tok.decode(tok.encode("a<s>")) == "a<s>"
        assert tok.kind(IDS["</s>"]) == Kind.CONTROL
        assert spec.arithmetic == "f32-rebased"
        assert gguf.read(file_of("llama", rows), dialect="sentencepiece-0.2.1")[0].arithmetic == "f64-compared"

    def test_refused(self) -> None:
        assert code_of(file_of("llama", [*llama_rows(), ("q", -0.5, 1)]), dialect="sentencepiece") == "gguf-unsupported"
        rows = [(text, np.round(score), 1 if kind == 6 else kind) for text, score, kind in llama_rows()]
        assert code_of(file_of("llama", rows), dialect="sentencepiece") == "gguf-unsupported"
        assert code_of(spm_file(), dialect="tiktoken") == "argument-value"

    def test_a_token_that_is_there_twice(self) -> None:
        for kind in (1, 3, 4):
            assert code_of(file_of("llama", [*llama_rows(), ("a", -0.5, kind)])) in (
                "gguf-field",
                "spec-piece-duplicate",
            )
        assert code_of(file_of("llama", [*llama_rows(), ("<x>", 0.0, 3), ("<x>", 0.0, 3)])) == "gguf-field"


class TestFiles:
    @pytest.mark.parametrize("order", ["<", ">"])
    def test_reading_and_writing_keeps_the_metadata(self, tmp_path: Path, order: Any) -> None:
        data = spm_file({"general.name": ("string", b"tiny"), "x.y": ("u8", 3)}, order=order)
        path = tmp_path / "vocab.gguf"
        path.write_bytes(data[:8] + (1).to_bytes(8, "little" if order == "<" else "big") + data[16:] + b"tensors")
        tok = ap.load(path)
        tok.save(tmp_path / "again.gguf")
        assert (tmp_path / "again.gguf").read_bytes() == data
        assert ap.load(tmp_path / "again.gguf") == tok

    def test_only_what_came_from_a_file_is_written(self, tmp_path: Path) -> None:
        path = tmp_path / "vocab.gguf"
        path.write_bytes(spm_file())
        with pytest.raises(ap.FormatError) as error:
            ap.load(path).replace(add_dummy_prefix=False).save(tmp_path / "other.gguf")
        assert error.value.code == "format-unwritable"

    def test_anypiece_keeps_all_of_it(self, tmp_path: Path) -> None:
        tok = tok_of()
        tok.save(tmp_path / "tok.anypiece")
        again = ap.load(tmp_path / "tok.anypiece")
        assert again == tok
        assert again.encode("bb<s>日") == tok.encode("bb<s>日")

    def test_a_large_file_is_not_read_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "large.gguf"
        with open(path, "wb") as file:
            file.write(spm_file())
            file.truncate(40 << 30)  # sparse
        assert ap.load(path).encode("ab") == [IDS["▁ab"]]
        monkeypatch.setattr(gguf, "FIRST_READ", 64)
        assert ap.load(path).encode("ab") == [IDS["▁ab"]]
        os.truncate(path, 1000)
        with pytest.raises(ap.FormatError) as error:
            ap.load(path)
        assert error.value.code == "file-truncated"


BPE_IDS = {text: index for index, (text, _, _) in enumerate(bpe_rows())}


def bpe_of(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> ap.Tokenizer:
    return ap.Tokenizer(gguf.read(bpe_file(more, **options))[0])


class TestMergesOfAList:
    def test_ids_worked_out_by_hand(self) -> None:
        tok = bpe_of()
        assert tok.encode("hello hell") == [BPE_IDS["hell"], BPE_IDS["o"], BPE_IDS["Ġhell"]]
        assert tok.encode("é\n") == [BPE_IDS["Ã"], BPE_IDS["©"], BPE_IDS["Ċ"]]
        assert tok.encode("a  b") == [BPE_IDS["a"], BPE_IDS["  "], BPE_IDS["b"]]  # user-defined, whatever else it is
        assert tok.encode("<|endoftext|>") != [BPE_IDS["<|endoftext|>"]]
        assert tok.encode("<|endoftext|>", specials="parse") == [BPE_IDS["<|endoftext|>"]]

    def test_what_a_name_decides(self) -> None:
        assert bpe_of(pre="llama-bpe").encode("hello") == [BPE_IDS["hello"]]  # a whole chunk is not merged
        assert bpe_of(pre="llama-bpe").encode("unused") == [BPE_IDS["unused"]]  # whatever its kind, but no special one
        assert BPE_IDS["unused"] not in bpe_of(pre="qwen2").encode("unused")
        assert bpe_of(pre="qwen2").encode("hello") == [BPE_IDS["hell"], BPE_IDS["o"]]
        assert bpe_of(pre="qwen2").encode("a", add_special=True) == [BPE_IDS["a"]]
        assert bpe_of(pre="llama-bpe").encode("a", add_special=True) == [11, BPE_IDS["a"]]
        assert bpe_of(pre="glm4").bos_id is None
        assert (bpe_of(pre="gpt-2").spec.clean_spaces, bpe_of(pre="qwen2").spec.clean_spaces) == (True, False)

    def test_decoding(self) -> None:
        tok = bpe_of()
        assert tok.decode(tok.encode("it is é , is it ?")) == "it is é, is it?"
        assert bpe_of(pre="qwen2").decode(tok.encode("it is é , is it ?")) == "it is é , is it ?"
        assert tok.decode([BPE_IDS["unused"]]) == ""
        assert tok.decode([BPE_IDS["▁odd"]]) == "[UNK_BYTE_0xe29681▁odd]odd"
        assert tok.decode([BPE_IDS["<|endoftext|>"], BPE_IDS["Ġhell"]]) == "<|endoftext|> hell"
        stream = tok.stream_decoder()
        ids = tok.encode("a , b 's ' x ' é ?")
        assert "".join([*(stream.push([id]) for id in ids), stream.flush()]) == tok.decode(ids) == "a, b's'x'é?"

    def test_a_space_that_decoding_takes(self) -> None:
        tok = bpe_of({f"{G}add_space_prefix": ("bool", True)})
        hell = BPE_IDS["Ġhell"]
        assert tok.encode("hell") == bpe_of().encode("hell")
        assert (tok.decode([hell, hell]), bpe_of().decode([hell, hell])) == ("hell hell", " hell hell")
        assert tok.decode([BPE_IDS["<|endoftext|>"], hell]) == "<|endoftext|> hell"
        assert ReferenceTokenizer(tok.spec).decode([hell, hell]) == "hell hell"
        stream = tok.stream_decoder()
        assert stream.push([hell]) + stream.push([hell]) + stream.flush() == "hell hell"

    def test_bytes_that_have_no_token_leave_nothing(self) -> None:
        rows = [row for row in bpe_rows() if row[0] != "Ã"]
        more = {f"{G}merges": ("string[]", [b"h e"]), f"{G}pre": ("string", b"gpt-2")}
        tok = ap.Tokenizer(gguf.read(file_of("gpt2", rows, more))[0])
        assert tok.encode("aéb") == [rows.index(("a", 0, 1)), rows.index(("©", 0, 1)), rows.index(("b", 0, 1))]

    def test_a_missing_name_is_the_default_unless_spaces_are_marks(self) -> None:
        assert bpe_of(pre=None).spec.split_rules == bpe_of(pre="default").spec.split_rules
        rows = [(f"▁{text}", 0, 1) for text in "abc"]
        more = {f"{G}merges": ("string[]", [])}
        with pytest.raises(ap.FormatError, match="pre=") as error:
            gguf.read(file_of("gpt2", rows, more))
        assert error.value.code == "gguf-pre"
        assert "llama-bpe" in error.value.facts["known"]

    def test_refused(self) -> None:
        assert code_of(bpe_file({f"{G}merges": ("string[]", [b"h x"])})) == "gguf-unsupported"
        assert code_of(file_of("gpt2", bpe_rows(), {f"{G}pre": ("string", b"gpt-2")})) == "gguf-field"
        with pytest.raises(
            ap.FormatError, match=r"nothing in the field tokenizer\.ggml\.merges; convert the model again"
        ):
            gguf.read(bpe_file({f"{G}merges": ("string[]", [])}))
        assert code_of(bpe_file(), dialect="sentencepiece") == "gguf-unsupported"
        assert code_of(spm_file(), pre="gpt-2") == "argument-value"
        assert code_of(bpe_file({f"{G}tokens": ("string[]", [b"\xff"] * 200)})) == "gguf-unsupported"
        tokens = [b"a", b"b", b"ab", b"\nab", b"\n"]
        crossing = {f"{G}merges": ("string[]", [b"a b", b"\n ab"]), f"{G}tokens": ("string[]", tokens)}
        assert code_of(marked_file(crossing)) == "gguf-unsupported"
        broken = {f"{G}merges": ("string[]", [b"a b"])}
        assert code_of(marked_file(broken)) == "gguf-unsupported"

    def test_marks_for_spaces(self) -> None:
        tok = ap.Tokenizer(gguf.read(marked_file())[0])
        names = [tok.id_to_piece(id) for id in tok.encode("ab ab\n\n日")]
        assert names == ["ab", "▁ab", "\n\n", "<0xE6>", "<0x97>", "<0xA5>"]
        assert tok.decode(tok.encode(" ab\n")) == " ab\n"
        assert tok.encode("a", add_special=True) == [1, tok.piece_to_id("a")]


UNIGRAM_IDS = {text: index for index, (text, _, _) in enumerate(unigram_rows())}


def unigram_of(more: dict[str, tuple[str, Any]] | None = None, **options: Any) -> ap.Tokenizer:
    return ap.Tokenizer(gguf.read(unigram_file(more), **options)[0])


class TestUnigram:
    def names(self, tok: ap.Tokenizer, text: str) -> list[str]:
        return [tok.id_to_piece(id) for id in tok.encode(text)]

    def test_ids_worked_out_by_hand(self) -> None:
        tok = unigram_of()
        assert self.names(tok, "a ab") == ["▁a", "▁ab"]
        assert self.names(tok, "ab!") == ["▁a", "b!"]  # an unused token is like any other
        assert self.names(tok, "a日本a") == ["▁a", "<unk>", "a"]
        assert tok.encode("a", add_special=True) == [UNIGRAM_IDS["▁a"], 1]

    def test_symbols_part_the_text_and_their_beginnings_are_left_alone(self) -> None:
        tok = unigram_of()
        assert self.names(tok, "a<x_10>a<x_1>") == ["▁a", "<x_10>", "▁a", "<x_1>"]
        mapped = {"tokenizer.ggml.precompiled_charsmap": ("i8[]", np.frombuffer(build({"<a": "!"}), np.int8))}
        assert self.names(unigram_of(mapped), "<a") == ["▁", "<unk>", "a"]  # < begins a symbol, so <a is not looked up
        rows = unigram_rows()[:-1]
        original, _ = gguf.read(file_of("t5", rows, mapped), dialect="sentencepiece")
        assert self.names(ap.Tokenizer(original), "<a") == ["!"]

    @pytest.mark.parametrize(
        ("squeeze", "prefix", "text", "expected"),
        [
            (True, True, "  a   a ", "▁a▁a"),
            (True, False, "a a", "▁a▁a"),
            (True, True, "   ", ""),
            (True, True, "a▁", "▁a▁"),
            (False, True, "  a  a ", "▁▁▁a▁▁a▁"),
            (False, True, "  ", "▁▁"),
            (False, False, "a a", "a▁a"),
            (True, True, "", ""),
        ],
    )
    def test_white_space(self, squeeze: bool, prefix: bool, text: str, expected: str) -> None:
        flags = {"remove_extra_whitespaces": squeeze, "add_space_prefix": prefix}
        tok = unigram_of({G + name: ("bool", value) for name, value in flags.items()})
        assert tok.normalize(text) == expected
        stream = tok.stream_encoder()
        assert [id for part in [*text] for id in stream.push(part)] + stream.flush() == tok.encode(text)

    def test_decoding(self) -> None:
        tok = unigram_of()
        ids = [UNIGRAM_IDS[text] for text in ("▁ab", "<unk>", "b!", "<x_1>", "<0x41>", "▁a")]
        assert tok.decode(ids) == "ab<unk><x_1>A a"

    def test_a_normal_token_that_ends_a_generation_matches_text(self) -> None:
        """llama.cpp has collected what text can become before it makes a control token of it by its text."""
        rows = [*unigram_rows(), ("<|endoftext|>", -1.0, 1)]
        tok = ap.Tokenizer(gguf.read(file_of("t5", rows))[0])
        assert self.names(tok, "a<|endoftext|>a") == ["a", "<|endoftext|>", "a"]
        parsed = tok.encode("a<|endoftext|>a", specials="parse")
        assert [tok.id_to_piece(id) for id in parsed] == ["a", "<|endoftext|>", "a"]
        assert tok.decode(parsed, skip_special=True) == "aa"
        control = ap.Tokenizer(gguf.read(file_of("t5", [*unigram_rows(), ("<|endoftext|>", -1.0, 3)]))[0])
        assert "<|endoftext|>" not in self.names(control, "a<|endoftext|>a")
        assert code_of(file_of("t5", [*unigram_rows(), ("<|endoftext|>", -1.0, 4)])) == "gguf-unsupported"
        assert code_of(file_of("t5", [*unigram_rows(), ("▁<PRE>", -1.0, 1)])) == "gguf-unsupported"

    def test_the_original(self) -> None:
        tok = ap.Tokenizer(gguf.read(file_of("t5", unigram_rows()[:-1]), dialect="sentencepiece")[0])
        assert self.names(tok, "ab!") == ["ab", "!"]
        assert code_of(unigram_file(), dialect="sentencepiece") == "gguf-unsupported"  # one byte token

    def test_refused(self) -> None:
        rows = unigram_rows()
        assert code_of(file_of("t5", [*rows, ("é!", 0.0, 4)])) == "gguf-unsupported"
        assert code_of(file_of("t5", [*rows, ("q", 0.0, 9)])) == "gguf-unsupported"
        assert code_of(unigram_file({f"{G}unknown_token_id": ("u32", UNIGRAM_IDS["a"])})) == "gguf-unsupported"
        assert code_of(unigram_file({f"{G}precompiled_charsmap": ("u8[]", np.zeros(9))})) == "spec-charsmap"
        assert code_of(unigram_file({f"{G}precompiled_charsmap": ("string", b"")})) == "gguf-field"


CUT = json.loads((ROOT / "tests" / "cases" / "gguf" / "pre.json").read_text(encoding="utf-8"))


class TestPreTokenizers:
    """The chunks were worked out by the rules of llama.cpp's engine from its own expressions, on text that it collapses."""

    @pytest.mark.parametrize("group", sorted({group for group, _ in CUT}))
    def test_chunks(self, group: str) -> None:
        name = next(name for name, pre in PRES.items() if pre.group == group)
        tok = ap.Tokenizer(gguf.read(bpe_file(pre=name, user_defined=False))[0])
        for chunks in (chunks for found, chunks in CUT if found == group):
            text = "".join(chunks)
            assert [raw.decode() for raw, _, _ in tok._kernel.chunks(text, False)] == chunks

    def test_every_group_is_there(self) -> None:
        marked = {pre.group for pre in PRES.values() if pre.space_marks}
        assert {group for group, _ in CUT} == {pre.group for pre in PRES.values()} - marked
        assert len(PRES) == 90

    def test_classes_are_those_of_unicode_15_1(self) -> None:
        tok = ap.Tokenizer(gguf.read(bpe_file(pre="starcoder", user_defined=False))[0])
        assert [raw.decode() for raw, _, _ in tok._kernel.chunks("a\U00010d41b", False)] == ["a", "\U00010d41", "b"]


class TestWords:
    def names(self, text: str, **fields: bool) -> list[str]:
        more = {f"{G}normalizer.{name}": ("bool", value) for name, value in fields.items()}
        tok = ap.Tokenizer(gguf.read(word_file(more))[0])
        return [tok.id_to_piece(id) for id in tok.encode(text)]

    def test_ids_worked_out_by_hand(self) -> None:
        assert self.names("Hello,a") == ["▁he", "llo", "▁,", "▁a"]
        assert self.names("É 漢a!") == ["▁e", "▁漢", "▁a", "▁!"]
        assert self.names("heLLo z hez\u200b") == ["▁he", "llo", "[UNK]", "[UNK]"]
        assert self.names("qo") == ["▁", "q", "o"]
        assert self.names("E e\u0301", lowercase=False) == ["▁E", "▁e\u0301"]
        assert self.names("É", lowercase=True, strip_accents=False) == ["[UNK]"]

    def test_marks_and_decoding(self) -> None:
        tok = ap.Tokenizer(gguf.read(word_file({f"{G}add_bos_token": ("bool", False)}))[0])
        ids = tok.encode("hello, a", add_special=True)  # always, whatever the file says
        assert (ids[0], ids[-1]) == (2, 3)
        assert tok.decode(ids) == "[CLS] hello, a[SEP]"
        assert tok.encode("[CLS]a", specials="parse")[0] == 2

    def test_refused(self) -> None:
        assert code_of(word_file({f"{G}tokens": ("string[]", [b"a", b"b"])})) == "gguf-unsupported"
        assert code_of(word_file(), dialect="sentencepiece") == "gguf-unsupported"


@pytest.mark.parametrize("model", ["hybriddna", "whitespace", "test", "no_vocab", "new"])
def test_other_types_are_refused_with_the_reason(model: str) -> None:
    with pytest.raises(ap.FormatError, match=f"{model}.*read are: llama") as error:
        gguf.read(spm_file({f"{G}model": ("string", model.encode())}))
    assert error.value.code == "gguf-unsupported"


def test_info_and_doctor(tmp_path: Path) -> None:
    path = tmp_path / "vocab.gguf"
    path.write_bytes(bpe_file({"general.name": ("string", b"tiny")}, pre=None))
    facts = internals(ap.load(path))
    assert facts["gguf_name"] == "tiny"
    assert facts["gguf_model"] == "gpt2"
    assert facts["gguf_pre"] is None
    assert facts["gguf_ends"] == [256 + 9]
    codes = [finding.code for finding in examine(ap.load(path))]
    assert "pre-missing" in codes
    assert "pre-missing" not in [finding.code for finding in examine(ap.load(path, pre="gpt-2"))]


def test_refusals_name_the_way_out() -> None:
    rows = [*(row for row in unigram_rows() if row[2] != 6), ("\u2581<caf\u00e9>", 0.0, 4)]
    with pytest.raises(ap.FormatError, match=r'dialect="sentencepiece"') as caught:
        gguf.read(file_of("t5", rows))
    assert caught.value.code == "gguf-unsupported"
    assert gguf.read(file_of("t5", rows), dialect="sentencepiece")[0].segmenter == "unigram"
    with pytest.raises(
        ap.FormatError, match=r"no tokens for bytes.* Use the tokenizer file that the GGUF was made from"
    ):
        gguf.read(file_of("llama", [row for row in llama_rows() if row[2] != 6]))
