"""Conversion: proved by reading the result again, refused where something would be lost."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

import anypiece as ap
from anypiece import Added, AddedFlag
from anypiece.comparison.check import Aspect, Check, Difference
from anypiece.conversion.extend import extend, save_extended
from anypiece.formats import wordpiece
from anypiece.rewrites import rewrite_for
from tests.support.gguf import spm_file
from tests.support.hf import document, written
from tests.support.small_vocabularies import BPE, BYTES, RANKS, UNIGRAM


def test_to_model_and_back(tmp_path: Path) -> None:
    model, native = tmp_path / "a.model", tmp_path / "a.anypiece"
    done = ap.convert(ap.Tokenizer(UNIGRAM), model)
    assert (done.format, done.lost, done.options, done.check.proved) == ("sentencepiece", (), {}, True)
    assert ap.convert(model, native).check.proved
    assert ap.load(native) == ap.load(model) == ap.Tokenizer(UNIGRAM)


def test_merges_by_score_as_gguf_and_back(tmp_path: Path) -> None:
    rows = [*BPE.pieces, *((f"<0x{byte:02X}>", 0.0, ap.Kind.BYTE) for byte in range(256))]
    tok = ap.Tokenizer(BPE.replace(pieces=ap.Pieces.of(rows), byte_fallback=True))
    done = ap.convert(tok, tmp_path / "a.gguf")
    assert done.options == {"dialect": "sentencepiece"}
    assert done.check.proved
    assert ap.convert(tmp_path / "a.gguf", tmp_path / "a.model", dialect="sentencepiece").check.proved
    assert ap.load(tmp_path / "a.model") == tok
    for odd, code in (
        (BPE, "format-unwritable"),
        (tok.spec.replace(segmenter="char"), "format-unwritable"),
        (tok.spec.replace(whitespace_as_suffix=True), "convert-lossy"),
    ):
        with pytest.raises(ap.FormatError) as error:
            ap.convert(ap.Tokenizer(odd), tmp_path / "b.gguf")
        assert error.value.code == code


def test_rank_files_say_what_they_need(tmp_path: Path) -> None:
    path = tmp_path / "a.tiktoken"
    spec = RANKS.replace(bos_id=None, eos_id=None)
    assert set(ap.convert(ap.Tokenizer(spec), path).options) == {"splitter", "specials"}
    done = ap.convert(ap.Tokenizer(RANKS), path)
    assert set(done.options) == {"splitter", "specials", "roles"}
    assert ap.load(path, **done.options) == ap.Tokenizer(RANKS)


def test_what_would_be_lost_is_named(tmp_path: Path) -> None:
    tok = ap.Tokenizer(UNIGRAM).replace(added=Added.of([("<x>", 0, AddedFlag.SPECIAL)]))
    path = tmp_path / "a.model"
    with pytest.raises(ap.FormatError, match="no place for added") as error:
        ap.convert(tok, path)
    assert error.value.code == "convert-lossy"
    assert error.value.facts["lost"] == ["added"]
    assert not path.exists()
    done = ap.convert(tok, path, allow_lossy=True)
    assert done.lost == ("added",)
    assert ap.load(path).encode("a b") == tok.encode("a b")


def test_a_save_that_would_lose_something_is_refused(tmp_path: Path) -> None:
    tok = ap.Tokenizer(UNIGRAM).replace(added=Added.of([("<x>", 0, AddedFlag.SPECIAL)]))
    with pytest.raises(ap.FormatError, match="no place for added") as error:
        tok.save(tmp_path / "a.model")
    assert error.value.code == "format-unwritable"


def test_what_comes_out_otherwise_is_not_written(tmp_path: Path) -> None:
    """A .model file does not say its dialect, so one that differs from the newest cannot be proved."""
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("a", 0.04, ap.Kind.NORMAL), ("aa", -5.0, ap.Kind.USER_DEFINED)]
    old = ap.Tokenizer(ap.Spec(ap.Pieces.of(rows), user_defined_score="near-best", add_dummy_prefix=False))
    old = old.replace(arithmetic="f64-compared")
    assert old.encode("aa") != ap.Tokenizer(old.spec.replace(user_defined_score="length-bonus")).encode("aa")
    path = tmp_path / "a.model"
    with pytest.raises(ap.FormatError) as error:
        ap.convert(old, path, texts=["aa"])
    assert error.value.code == "convert-differs"
    assert error.value.facts["text"] == "aa"
    assert not path.exists()


def test_formats_that_cannot_hold_it(tmp_path: Path) -> None:
    for tok, name in ((ap.Tokenizer(UNIGRAM), "a.tiktoken"), (ap.Tokenizer(RANKS), "a.model")):
        with pytest.raises(ap.FormatError):
            ap.convert(tok, tmp_path / name)
        assert not list(tmp_path.iterdir())
    with pytest.raises(ap.FormatError, match=r"suffix '\.txt'"):
        ap.convert(ap.Tokenizer(UNIGRAM), tmp_path / "a.txt")


_MERGED = BYTES.replace(
    segmenter="bpe", pieces=ap.Pieces.of((p, 0.0 - id, k) for id, (p, _, k) in enumerate(BYTES.pieces))
)
_WORDS = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nplay\n##ing\na\nthe\n##b\n[unused1]\nC\n"


def _tekken() -> ap.Spec:
    rows = [(name.encode(), 0.0, ap.Kind.CONTROL) for name in ("<unk>", "<s>", "</s>")]
    pieces = [bytes([byte]) for byte in range(256)] + [b"th", b" t", b"he", b" th", b" the"]
    rows += [(piece, 0.0 - rank, ap.Kind.NORMAL) for rank, piece in enumerate(pieces)]
    added = Added.of((name.decode(), id, AddedFlag.SPECIAL) for id, (name, _, _) in enumerate(rows[:3]))
    return RANKS.replace(pieces=ap.Pieces.of(rows), splitter="tekken", added=added, bos_id=1, eos_id=2)


MATRIX = {
    "bytes": (RANKS.replace(splitter="llama3"), {"a.tiktoken": {}, "a.json": {}, "a.gguf": {}}),
    "tekken": (_tekken(), {"tekken.json": {}, "a.tiktoken": {}, "a.json": {}, "a.gguf": {}}),
    "words": (wordpiece.read(_WORDS, lowercase=True)[0], {"vocab.txt": {}, "a.json": {}, "a.gguf": {}}),
    "merges by score": (
        _MERGED,
        {"a.model": {}, "a.json": {}, "a.gguf": {}},
    ),
}
"""Vocabularies, the formats that carry them, and for each what is lost on the way from another."""
TEXTS = ["the playing", "ab c  日本 é", " <s>a</s>", "thea\n\nb [CLS] <|end|>", "C [unused1]", ""]


@pytest.mark.parametrize("kind", MATRIX)
def test_every_pair_both_ways(kind: str, tmp_path: Path) -> None:
    spec, formats = MATRIX[kind]
    source = ap.Tokenizer(spec)
    for first in formats:
        folder = tmp_path / first
        folder.mkdir()
        made = ap.convert(source, folder / first)
        tok = ap.load(folder / first, **made.options)
        assert (made.lost, bool(made.check)) == ((), True)
        for second, losses in formats.items():
            if second == first:
                continue
            lost = losses.get(first, ())
            done = ap.convert(tok, folder / second, allow_lossy=bool(lost))
            assert done.lost == lost, (first, second)
            result = ap.load(folder / second, **done.options)
            for text in TEXTS:
                assert result.encode(text) == source.encode(text), (first, second, text)
                assert result.decode(source.encode(text)) == source.decode(source.encode(text)), (first, second, text)
                if not lost and len(spec.added):
                    assert result.encode(text, specials="parse") == source.encode(text, specials="parse")


def test_unigram_pairs(tmp_path: Path) -> None:
    tok = ap.Tokenizer(UNIGRAM)
    done = ap.convert(tok, tmp_path / "a.gguf")
    assert (done.check.proved, done.options) == (True, {"dialect": "sentencepiece"})
    assert ap.convert(tmp_path / "a.gguf", tmp_path / "a.model", **done.options).check.proved
    done = ap.convert(tok, tmp_path / "a.json", texts=TEXTS)
    assert (done.lost, done.check.proved, done.nearly[0]) == ((), False, "arithmetic")
    again = ap.convert(tmp_path / "a.json", tmp_path / "b.model", texts=TEXTS, **done.options)
    assert (again.lost, again.nearly) == ((), ("arithmetic", "match_kinds", "added"))
    assert ap.load(tmp_path / "b.model") == tok
    with pytest.raises(ap.FormatError) as error:
        ap.convert(tok, tmp_path / "c.json", texts=["▁ab"])
    assert error.value.facts["nearly"] == ["arithmetic", "match_kinds"]


def test_what_is_left_must_come_through_whatever_is_lost(tmp_path: Path) -> None:
    """Accepting one loss does not accept another: without the normalizer, the order of merges must still be that of ids."""
    tok = ap.Tokenizer(rewrite_for(RANKS, "huggingface").spec).replace(normalizer=({"type": "nfc"},))
    done = ap.convert(tok, tmp_path / "a.tiktoken", allow_lossy=True)
    assert done.lost == ("normalizer",)
    assert not done.check
    turned = tok.replace(merges=tok.spec.merges[::-1])
    with pytest.raises(ap.FormatError, match="in the order of their ids"):
        ap.convert(turned, tmp_path / "b.tiktoken", allow_lossy=True)


def test_a_gguf_file_by_the_rules_of_llama_cpp(tmp_path: Path) -> None:
    ap.convert(ap.Tokenizer(RANKS.replace(splitter="llama3")), tmp_path / "a.gguf")
    with pytest.raises(ap.FormatError, match='dialect="tokenizers"') as error:
        ap.convert(tmp_path / "a.gguf", tmp_path / "a.json")
    assert error.value.facts["lost"] == ["matching", "decoding", "clean_spaces"]
    assert ap.convert(tmp_path / "a.gguf", tmp_path / "b.gguf").check.proved


def _listed() -> ap.Spec:
    return rewrite_for(RANKS, "huggingface").spec


def test_a_piece_that_only_a_whole_chunk_can_be(tmp_path: Path) -> None:
    """llama.cpp has no way to cut as GPT-2 does that takes whole chunks; no merges lead to ``xyz``, so that it shows."""
    for source, target in (
        (RANKS.replace(splitter="gpt2"), "a.gguf"),
        (_listed().replace(whole_chunks=False), "a.tiktoken"),
    ):
        with pytest.raises(ap.FormatError, match="'xyz'") as error:
            ap.convert(ap.Tokenizer(source), tmp_path / target, texts=["no such piece"])
        assert error.value.code == "format-unwritable"
    with pytest.raises(ap.FormatError, match="knows no pre-tokenizer"):
        ap.convert(ap.Tokenizer(RANKS), tmp_path / "a.gguf")


def test_roles(tmp_path: Path) -> None:
    done = ap.convert(ap.Tokenizer(RANKS), tmp_path / "a.json")
    assert done.options == {"roles": {"bos": "<|end|>", "eos": "<|end|>!"}}
    assert ap.load(tmp_path / "a.json").bos_id is None
    assert ap.load(tmp_path / "a.json", **done.options).bos_id == 269
    for wrong in ({"bos": "no such token"}, {"cls": "<|end|>"}, {"bos": 3}, {"bos": "\ud800"}, ["bos"]):
        with pytest.raises(ap.InputError) as error:
            ap.load(tmp_path / "a.json", roles=wrong)
        assert error.value.code == "argument-value"


def test_what_stands_beside_a_spec(tmp_path: Path) -> None:
    """Chat template, truncation and padding change no ids: they are kept where there is a place, and else named as lost."""
    truncation = {"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    padding: dict[str, Any] = {
        "pad_id": 5,
        "pad_token": "<s>",
        "pad_type_id": 0,
        "strategy": {"Fixed": 8},
        "direction": "Left",
    }
    padding["pad_to_multiple_of"] = None
    written(tmp_path, document(truncation=truncation, padding=padding))
    config = {"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    target = tmp_path / "made"
    target.mkdir()
    source = ap.load(tmp_path)
    assert ap.convert(source, target / "a.anypiece").lost == ()
    for tok in (source, ap.load(target / "a.anypiece"), pickle.loads(pickle.dumps(ap.load(target / "a.anypiece")))):
        assert tok.replace(pad_id=None).render_chat([{"role": "user", "content": "ab"}]) == "<s>ab"
        with pytest.raises(ap.FormatError, match="no place for chat_template") as caught:
            ap.convert(tok, target / "b.json")
        assert caught.value.code == "convert-lossy"
        assert ap.convert(tok, target / "b.json", allow_lossy=True).lost == ("chat_template",)
        document_again = json.loads((target / "b.json").read_bytes())
        assert (document_again["truncation"], document_again["padding"]) == (truncation, padding)
    ap.load(target / "b.json").save(target / "c.json")
    assert json.loads((target / "c.json").read_bytes()) == json.loads((target / "b.json").read_bytes())
    assert ap.convert(target / "b.json", target / "d.json").lost == ()
    with pytest.raises(ap.FormatError, match="truncation, padding"):
        ap.convert(target / "b.json", target / "d.model")


def test_an_anypiece_file_without_a_template_is_as_before(tmp_path: Path) -> None:
    ap.Tokenizer(UNIGRAM).save(tmp_path / "a.anypiece")
    assert b"beside" not in (tmp_path / "a.anypiece").read_bytes()
    assert ap.load(tmp_path / "a.anypiece")._origin is None


def test_special_tokens_that_are_the_control_pieces_are_not_lost(tmp_path: Path) -> None:
    """From .model to tokenizer.json and back. A token of another spelling than its piece has no place."""
    ap.Tokenizer(_MERGED).save(tmp_path / "a.model")
    there = ap.convert(tmp_path / "a.model", tmp_path / "a.json")
    back = ap.convert(tmp_path / "a.json", tmp_path / "b.model", **there.options)
    assert (back.lost, back.nearly) == ((), ("added",))
    assert ap.check(tmp_path / "b.model", tmp_path / "a.model")
    assert ap.load(tmp_path / "b.model").spec.pieces.kinds.tolist() == _MERGED.pieces.kinds.tolist()
    tok = ap.load(tmp_path / "a.json")
    for row in (("<x>", 1, AddedFlag.SPECIAL), ("<s>", 1, AddedFlag.SPECIAL | AddedFlag.LSTRIP)):
        other = tok.replace(
            added=Added.of([row, *((text, id, int(flags)) for text, id, flags in tok.spec.added if id != 1)])
        )
        with pytest.raises(ap.FormatError, match="no place for added"):
            ap.convert(other, tmp_path / "c.model")


def test_marks_of_words_get_their_names_in_gguf(tmp_path: Path) -> None:
    """A GGUF file calls [CLS] and [SEP] bos and eos, and a tokenizer.json does not."""
    tok = ap.Tokenizer(wordpiece.read(_WORDS, lowercase=True)[0])
    bare = tok.replace(bos_id=None, eos_id=None)
    done = ap.convert(bare, tmp_path / "a.gguf")
    assert (done.lost, bool(done.check)) == ((), True)
    assert ap.load(tmp_path / "a.gguf", **done.options).bos_id == tok.piece_to_id("[CLS]")
    with pytest.raises(ap.FormatError, match=r"--role bos=\[CLS\] --role eos=\[SEP\]"):
        ap.convert(tok.replace(bos_id=5), tmp_path / "b.gguf")


def test_what_is_lost_beside_a_spec_excuses_no_other_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, document())
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "x"}')
    tok = ap.load(tmp_path)
    found = ap.convert(tok, tmp_path / "a.json", allow_lossy=True)
    assert found.lost == ("chat_template",)
    differs = Check(False, (Aspect("ids", 1, 1, Difference("a", "ids", [1], [2])),))
    monkeypatch.setattr(sys.modules["anypiece.conversion.convert"], "_compared", lambda *args: differs)
    with pytest.raises(ap.FormatError) as caught:
        ap.convert(tok, tmp_path / "b.json", allow_lossy=True)
    assert caught.value.code == "convert-differs"
    assert not (tmp_path / "b.json").exists()


def test_a_gguf_file_by_the_rules_of_llama_cpp_as_a_tokenizer_json(tmp_path: Path) -> None:
    """Only with a loss, and then it can be written; without, the message names the other way."""
    ap.convert(ap.Tokenizer(RANKS.replace(splitter="llama3")), tmp_path / "a.gguf")
    with pytest.raises(ap.FormatError, match='dialect="tokenizers"') as caught:
        ap.convert(tmp_path / "a.gguf", tmp_path / "a.json")
    assert caught.value.code == "convert-lossy"
    done = ap.convert(tmp_path / "a.gguf", tmp_path / "a.json", allow_lossy=True)
    assert "matching" in done.lost
    assert "splitter" in (*done.lost, *done.nearly)
    text = "xyz abc 12 é"
    assert ap.load(tmp_path / "a.json").encode(text) == ap.load(tmp_path / "a.gguf").encode(text)
    tok = ap.load(tmp_path / "a.gguf")
    with pytest.raises(ap.FormatError, match='dialect="tokenizers"'):
        save_extended(extend(tok, ["<x>"]), tmp_path / "b.gguf", ["<x>"], {})


def test_a_role_that_a_model_file_cannot_name(tmp_path: Path) -> None:
    """A ``.model`` calls only control pieces bos, eos or pad."""
    (tmp_path / "a.gguf").write_bytes(spm_file({"tokenizer.ggml.padding_token_id": ("u32", 0)}))
    tok = ap.load(tmp_path / "a.gguf", dialect="sentencepiece").replace(add_eos=True)
    with pytest.raises(ap.FormatError) as caught:
        ap.convert(tok, tmp_path / "a.model")
    assert caught.value.facts["lost"] == ["pad_id"]
    done = ap.convert(tok, tmp_path / "a.model", allow_lossy=True)
    assert done.lost == ("pad_id",)
    assert ap.load(tmp_path / "a.model").pad_id is None


def test_a_list_of_rwkv_as_gguf_and_back(tmp_path: Path) -> None:
    """With ids that stand for nothing, quotes, bytes that are no text, and special tokens."""
    rows = ["日本".encode(), b"ab'", b"x\x00", "é\"'".encode(), b"\n\n"]
    pieces = {place + 3: bytes([place]) for place in range(256)} | {place + 300: raw for place, raw in enumerate(rows)}

    def literal(raw: bytes) -> str:
        return repr(raw.decode()) if raw.isascii() or len(raw) > 1 else repr(raw)

    lines = [f"{id} {literal(raw)} {len(raw)}" for id, raw in pieces.items()]
    (tmp_path / "a.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for specials in ({}, {"<s>": 0, "<|x|>": 310}):
        tok = ap.load(tmp_path / "a.txt", specials=specials)
        done = ap.convert(tok, tmp_path / "a.gguf")
        assert (done.lost, done.options) == ((), {"dialect": "rwkv"})
        result = ap.load(tmp_path / "a.gguf", **done.options)
        assert result.spec == tok.spec
        for text in ("ab'日本x\x00<s><|x|>", '"\\\n日', "é\"'zz"):
            for mode in ("text", "parse"):
                assert result.encode(text, specials=mode) == tok.encode(text, specials=mode)
            assert ap.load(tmp_path / "a.gguf").encode(text) == tok.encode(text)
        ap.convert(result, tmp_path / "b.txt", format="rwkv")
        assert (tmp_path / "b.txt").read_bytes() == (tmp_path / "a.txt").read_bytes()
    with pytest.raises(ap.FormatError, match='dialect="rwkv"'):
        ap.convert(tmp_path / "a.gguf", tmp_path / "b.txt", format="rwkv")
