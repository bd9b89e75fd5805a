"""No text becomes a special piece by itself, whatever the segmenter and the call; and else nothing changes."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tokenizers

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.inspect.doctor import examine
from anypiece.reference import ReferenceTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ["<unk>", "<", "s", ">", "a", "<s", "<s>", "s>", "a<", "<s>a", "sa"]
MERGES = ["< s", "<s >", "s >", "a <", "s a"]
SPECIAL = 6

CALLS: dict[str, Callable[[ap.Tokenizer, str], list[int]]] = {
    "encode": lambda tok, text: tok.encode(text),
    "trusted": lambda tok, text: tok.encode_trusted([(text, False)]),
    "array": lambda tok, text: tok.encode_array(text).tolist(),
    "batch": lambda tok, text: tok.encode_batch([text, "a"])[0].tolist(),
    "threads": lambda tok, text: tok.encode_batch([text], threads=2)[0].tolist(),
    "spans": lambda tok, text: [token.id for token in tok.encode_spans(text)],
    "stream": lambda tok, text: _streamed(tok, text),
    "sample": lambda tok, text: tok.sample(text, method="dropout", alpha=0.0, seed=1),
}


def _streamed(tok: ap.Tokenizer, text: str) -> list[int]:
    stream = tok.stream_encoder()
    return [id for part in [*map(stream.push, text), stream.flush()] for id in part]


def _file(path: Path, merges: list[str] = MERGES, **changes: Any) -> Path:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>",
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": {name: id for id, name in enumerate(NAMES)},
        "merges": merges,
    }
    content: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [{"id": SPECIAL, "content": "<s>", **flags}],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": model,
    }
    path.write_text(json.dumps(content | changes), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", CALLS)
def test_no_call_gives_a_special_piece_that_merges_make(name: str, tmp_path: Path) -> None:
    tok = ap.load(_file(tmp_path / "t.json"))
    reference = ReferenceTokenizer(tok.spec)
    for text in ("<s>", "a<s>a", "<s><s>", "<s>" * 40, "sa<s>", "<S>a", "a" * 5000 + "<s>"):
        found = CALLS[name](tok, text)
        assert SPECIAL not in found
        assert found == reference.encode(text), (name, text)
    assert tok.encode("<s>", specials="parse") == [SPECIAL]


def test_counts_and_prefixes_are_of_the_same_ids(tmp_path: Path) -> None:
    tok = ap.load(_file(tmp_path / "t.json"))
    for text in ("<s>", "a<s>a<S>", "<s>" * 20):
        ids = tok.encode(text)
        assert tok.count(text) == len(ids)
        for limit in range(len(ids)):
            prefix = tok.truncate(text, limit)
            assert len(tok.encode(prefix)) <= limit
            assert SPECIAL not in tok.encode(prefix)
        assert all(SPECIAL not in tok.encode(part) for part in tok.split(text, 2))


def test_every_draw_and_every_path_leaves_it_out(tmp_path: Path) -> None:
    tok = ap.load(_file(tmp_path / "t.json"))
    for seed in range(50):
        assert SPECIAL not in tok.sample("a<s>a<s>", method="dropout", alpha=0.3, seed=seed)


def test_where_the_library_gives_none_the_ids_are_its_own(tmp_path: Path) -> None:
    path = _file(tmp_path / "t.json")
    tok, theirs = ap.load(path), tokenizers.Tokenizer.from_file(str(path))
    theirs.encode_special_tokens = True
    draw = random.Random(5)
    same = 0
    for _ in range(3000):
        text = "".join(draw.choices(["<", "s", ">", "a", "<s", "S", "b"], k=draw.randint(1, 12)))
        ids = theirs.encode(text, add_special_tokens=False).ids
        if SPECIAL not in ids:
            same += 1
            assert tok.encode(text) == ids, text
        else:
            assert SPECIAL not in tok.encode(text), text
    assert same > 1000


def test_the_doctor_names_it(tmp_path: Path) -> None:
    found = {finding.code: finding for finding in examine(ap.load(_file(tmp_path / "t.json")))}
    assert found["special-merged"].examples == ("<s>",)
    without = ap.load(_file(tmp_path / "u.json", [merge for merge in MERGES if merge != "<s >"]))
    assert "special-merged" not in {finding.code for finding in examine(without)}


def test_what_is_built_on_a_special_piece_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ap.AnyPieceError) as caught:
        ap.load(_file(tmp_path / "t.json", [*MERGES, "<s> a"]))
    assert caught.value.code == "spec-merges"
    assert "<s>a" in str(caught.value)


def test_what_is_built_on_a_special_symbol_is_refused(tmp_path: Path) -> None:
    """A word begins as the symbols ``a`` and ``s</w>``; the second is special, and the library merges it all the same."""
    path = _file(tmp_path / "t.json", added_tokens=[])
    content = json.loads(path.read_text(encoding="utf-8"))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content["model"] |= {
        "vocab": {"<unk>": 0, "a": 1, "s</w>": 2, "as</w>": 3},
        "merges": ["a s</w>"],
        "end_of_word_suffix": "</w>",
    }
    content["added_tokens"] = [{"id": 2, "content": "s</w>", **flags}]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert tokenizers.Tokenizer.from_file(str(path)).encode("as").ids == [3]
    with pytest.raises(ap.AnyPieceError, match="built on the special piece"):
        ap.load(path)


def test_kept_in_files(tmp_path: Path) -> None:
    tok = ap.load(_file(tmp_path / "t.json"))
    tok.save(tmp_path / "t.anypiece")
    again = ap.load(tmp_path / "t.anypiece")
    assert again.fingerprint == tok.fingerprint
    for text in ("<s>", "a<s>a<S>", "<s>" * 1000):
        assert again.encode(text) == tok.encode(text)
        assert SPECIAL not in again.encode(text)


def _spec(rows: list[tuple[str, float, Kind]], **changes: Any) -> Spec:
    settings = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}
    return Spec(Pieces.of([("<unk>", 0.0, Kind.UNKNOWN), ("<s>", 0.0, Kind.CONTROL), ("@", 0.0, Kind.CONTROL), *rows]),
                **(settings | changes))  # fmt: skip


LETTERS = [(name, -float(rank), Kind.NORMAL) for rank, name in enumerate(["<s", "s>", "<", "s", ">", "a"])]
BYTES = [(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]
SEGMENTERS: dict[str, dict[str, Any]] = {
    "unigram": {"segmenter": "unigram"},
    "unigram-spelled": {"segmenter": "unigram", "arithmetic": "f64", "match_kinds": "spelled"},
    "bpe": {"segmenter": "bpe"},
    "bpe-all": {"segmenter": "bpe", "match_kinds": "all", "byte_fallback": True},
    "char": {"segmenter": "char"},
    "word": {"segmenter": "word"},
    "wordpiece": {"segmenter": "wordpiece"},
    "word-level": {"segmenter": "word-level"},
}


@pytest.mark.parametrize("name", SEGMENTERS)
def test_no_segmenter_finds_a_control_piece(name: str) -> None:
    rows = [*LETTERS, *BYTES] if SEGMENTERS[name].get("byte_fallback") else LETTERS
    spec = _spec(rows, **SEGMENTERS[name])
    tok, reference = ap.Tokenizer(spec), ReferenceTokenizer(spec)
    for text in ("<s>", "@", "a@a", "<s>a", "a<s>@", "<s>@" * 30):
        assert not {1, 2} & set(tok.encode(text)), text
        assert tok.encode(text) == reference.encode(text), text
        assert [token.id for token in tok.encode_spans(text)] == tok.encode(text)
        if name.startswith("unigram"):
            assert not {1, 2} & {id for path in tok.nbest(text, 20) for id in path.ids}
        if name.startswith(("unigram", "bpe")):
            assert not {1, 2} & {edge.id for edge in tok.lattice(text).edges}


def test_pieces_built_on_a_control_piece_that_texts_merge_into() -> None:
    rows = [*LETTERS, ("<s>a", -9.0, Kind.NORMAL), *BYTES]
    with pytest.raises(ap.SpecError) as caught:
        ap.Tokenizer(_spec(rows, **SEGMENTERS["bpe-all"]))
    assert caught.value.code == "spec-merges"
    unmade = [row for row in rows if row[0] not in ("<s", "s>")]
    assert 1 not in ap.Tokenizer(_spec(unmade, **SEGMENTERS["bpe-all"])).encode("<s>a")


def test_text_that_is_merged_into_a_special_unknown_piece(tmp_path: Path) -> None:
    names = ["<e>", "<", "e", ">", "<e"]
    model = {"type": "BPE", "unk_token": "<e>", "fuse_unk": False, "byte_fallback": False,
             "vocab": {name: id for id, name in enumerate(names)}, "merges": ["< e", "<e >"]}  # fmt: skip
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    tok = ap.load(_file(tmp_path / "t.json", model=model, added_tokens=[{"id": 0, "content": "<e>", **flags}]))
    assert tok.encode("<e>") == [4, 3]
    assert tok.encode("x") == [0], "what is not covered is unknown"
    assert np.array_equal(tok.encode_array("<E>"), [4, 3])
