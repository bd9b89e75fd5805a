"""Merge-list BPE: cases worked out by hand, every option against ``tokenizers``, and what is refused."""

from __future__ import annotations

import pickle
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import anypiece as ap
from anypiece import Kind, Pieces, Spec
from anypiece.reference import ReferenceTokenizer
from tests.support.merge_lists import OFF, drawn, original
from tests.support.ours import reference_ids

if TYPE_CHECKING:
    from pathlib import Path

LETTERS = ["<unk>", "a", "b", "c", "ab", "bc", "abc", "aa", "aaa"]
ROWS: list[tuple[str, float, int]] = [(name, 0.0, Kind.NORMAL) for name in LETTERS]
ROWS[0] = ("<unk>", 0.0, Kind.UNKNOWN)
ID = {name: id for id, name in enumerate(LETTERS)}


def merges(*pairs: str) -> list[tuple[int, int, int]]:
    split = [pair.split() for pair in pairs]
    return [(ID[left], ID[right], ID[left + right]) for left, right in split]


def spec(*pairs: str, **changes: Any) -> Spec:
    return Spec(Pieces.of(ROWS), "bpe", merges=np.array(merges(*pairs), np.uint32), **(OFF | changes))


BY_HAND = [
    (("b c", "a b", "ab c"), "abc", ["a", "bc"]),  # the first of the list goes first, wherever its pair stands
    (("a b", "b c", "ab c"), "abc", ["abc"]),
    (("a a",), "aaa", ["aa", "a"]),  # of equals the leftmost
    (("a a", "aa a"), "aaaa", ["aa", "aa"]),
    (("aa a", "a a"), "aaa", ["aaa"]),
    (("a b",), "abxxab", ["ab", "<unk>", "ab"]),  # unknowns are one
]


@pytest.mark.parametrize(("pairs", "text", "pieces"), BY_HAND)
def test_by_hand(pairs: tuple[str, ...], text: str, pieces: list[str]) -> None:
    ids = [ID[piece] for piece in pieces]
    assert ap.Tokenizer(spec(*pairs)).encode(text) == ReferenceTokenizer(spec(*pairs)).encode(text) == ids


def test_unknowns() -> None:
    made = {unknown: ap.Tokenizer(spec("a b", unknown=unknown)) for unknown in ("fuse", "each", "drop", "omit")}
    ids = {unknown: tok.encode("aéébab") for unknown, tok in made.items()}
    assert ids == {
        "fuse": [ID["a"], 0, ID["b"], ID["ab"]],
        "each": [ID["a"], 0, 0, ID["b"], ID["ab"]],
        "drop": [ID["ab"], ID["ab"]],  # what stands around it is joined
        "omit": [ID["a"], ID["b"], ID["ab"]],
    }


def test_byte_pieces_take_part_in_merges_and_overtake_unknowns() -> None:
    names = ["<unk>", "a", "<0xC3>", "<0xA9>", "<0xC3><0xA9>", "<0xA9>a"]
    kinds = [Kind.UNKNOWN, Kind.NORMAL, Kind.BYTE, Kind.BYTE, Kind.NORMAL, Kind.NORMAL]
    pieces = Pieces.of((name, 0.0, kind) for name, kind in zip(names, kinds, strict=True))
    made = Spec(pieces, "bpe", merges=np.array([[3, 1, 5], [2, 3, 4]]), byte_fallback=True, **OFF)
    for text, ids in {"é": [4], "éa": [2, 5], "ñéa": [4, 0, 1], "ñé": [4, 0]}.items():
        assert ap.Tokenizer(made).encode(text) == original(made).encode(text).ids == ids


def test_prefix_and_suffix_are_about_the_place_in_the_chunk() -> None:
    names = ["<unk>", "a", "##b", "##a</w>", "a</w>", "ab", "aba</w>"]
    rows = [(name, 0.0, Kind.NORMAL if id else Kind.UNKNOWN) for id, name in enumerate(names)]
    made = Spec(
        Pieces.of(rows),
        "bpe",
        merges=np.array([[1, 2, 5], [5, 3, 6]]),
        symbol_prefix="##",
        end_suffix="</w>",
        **OFF,
    )
    for text, ids in {"a": [4], "aba": [6], "aa": [1, 3], "ab": [1, 0], "abab": [5, 0]}.items():
        assert ap.Tokenizer(made).encode(text) == original(made).encode(text).ids == ids


def texts(random: Random, spec: Spec) -> list[str]:
    used = sorted({character for name, _, _ in spec.pieces for character in name.decode("utf-8", "ignore")})
    characters = [*random.sample(used, min(6, len(used))), *"ab日é😀 x\n"]
    if spec.splitter:
        characters += [" ", "'s", "1"]
    return ["".join(random.choices(characters, k=size)) for size in (1, 2, 3, 8, 8, 30, 120)]


@pytest.mark.parametrize("group", range(20))
def test_every_option_against_tokenizers(group: int) -> None:
    for seed in range(group * 20, group * 20 + 20):
        made = drawn(seed)
        random = Random(seed)
        tok, reference, other = ap.Tokenizer(made), ReferenceTokenizer(made), original(made)
        again = ap.Tokenizer(made)
        spelled = made.byte_fallback and (made.symbol_prefix or made.end_suffix)
        for text in texts(random, made):
            expected = other.encode(text)
            tokens = tok.encode_spans(text)
            where = f"seed {seed}, {text!r}"
            assert tok.encode(text) == reference_ids(tok, text) == again.encode(text) == expected.ids, where
            assert [token.id for token in tokens] == expected.ids, where
            assert tokens == [ap.Token(*token) for token in reference.encode_spans(text, chars=True)], where
            # Byte pieces of a prefix or suffix are longer than the text, which the other gives up on.
            if made.symbols == "characters" and not spelled:
                assert [(token.start, token.end) for token in tokens] == expected.offsets, where


@pytest.mark.parametrize("size", [3_000, 100_000])
def test_long_chunks(size: int) -> None:
    random = Random(size)
    for seed in range(8):
        made = drawn(seed, splitter=None)
        text = "".join(random.choices("abc日", k=size))
        assert ap.Tokenizer(made).encode(text) == original(made).encode(text).ids, f"seed {seed}"


REFUSED: dict[str, tuple[Any, str]] = {
    "an id that is no piece": ([[1, 2, 99]], "spec-merges"),
    "another result": ([[1, 2, ID["bc"]]], "spec-merges"),
    "a pair twice": ([[1, 2, ID["ab"]], [2, 3, ID["bc"]], [1, 2, ID["ab"]]], "spec-merges"),
    "two columns": ([[1, 2]], "spec-merges"),
    "negative ids": ([[-1, 2, 3]], "spec-merges"),
    "no integers": ([[0.5, 1.0, 2.0]], "spec-merges"),
    "huge ids": ([[2**40, 1, 2]], "spec-merges"),
}


@pytest.mark.parametrize(("rows", "code"), REFUSED.values(), ids=REFUSED)
def test_refused_merges(rows: Any, code: str) -> None:
    with pytest.raises(ap.SpecError) as error:
        ap.Tokenizer(Spec(Pieces.of(ROWS), "bpe", merges=np.array(rows), **OFF))
    assert error.value.code == code


def test_refused_settings() -> None:
    plain = Spec(Pieces.of(ROWS), "bpe", **OFF)
    refused: list[tuple[Spec, str]] = [
        (plain.replace(unknown="each"), "spec-stages"),
        (plain.replace(end_suffix="x"), "spec-stages"),
        (plain.replace(symbol_prefix="x"), "spec-stages"),
        (spec("a b").replace(segmenter="unigram"), "spec-stages"),
        (spec("a b", unknown="some"), "spec-config"),
        (spec("a b").replace(pieces=Pieces.of([*ROWS, ("x", 0.0, Kind.UNKNOWN)])), "spec-unknown"),
        (spec("a b").replace(pieces=Pieces.of([("z", 0.0, Kind.NORMAL), *ROWS[1:]])), "spec-unknown"),
        (spec("a b").replace(pieces=Pieces.of([*ROWS, ("<0x41>", 0.0, Kind.BYTE)])), "spec-bytes"),
        (spec("a b").replace(pieces=Pieces.of([*ROWS, ("a", 0.0, Kind.NORMAL)])), "spec-piece-duplicate"),
    ]
    for made, code in refused:
        with pytest.raises(ap.SpecError) as error:
            ap.Tokenizer(made)
        assert error.value.code == code


def test_no_unknown_piece_is_needed_where_nothing_is_unknown() -> None:
    rows = [(bytes([byte]), 0.0, Kind.NORMAL) for byte in range(256)] + [("ab", 0.0, Kind.NORMAL)]
    made = Spec(Pieces.of(rows), "bpe", "bytes", merges=np.array([[97, 98, 256]]), **OFF)
    assert ap.Tokenizer(made).encode("xabé") == [120, 256, 0xC3, 0xA9]
    fewer = made.replace(pieces=Pieces.of([(b"", 0.0, Kind.UNUSED), *rows[1:]]), unknown="drop")
    assert ap.Tokenizer(fewer).encode("a\0b\0") == [256]


def test_fingerprints() -> None:
    plain = Spec(Pieces.of(ROWS), "bpe", **OFF)
    one, other = spec("a b", "b c"), spec("b c", "a b")
    assert len({made.fingerprint for made in (plain, one, other, one.replace(unknown="each"))}) == 4
    assert one == one.replace(merges=one.merges.tolist()) == one.replace(merges=one.merges.astype(np.int64))


@pytest.mark.parametrize("seed", range(12))
def test_files_and_copies(seed: int, tmp_path: Path) -> None:
    made = drawn(seed)
    tok = ap.Tokenizer(made)
    tok.save(tmp_path / "made.anypiece")
    opened = ap.load(tmp_path / "made.anypiece", verify=True)
    copied = pickle.loads(pickle.dumps(tok))
    assert opened.fingerprint == copied.fingerprint == made.fingerprint
    for text in texts(Random(seed), made):
        assert opened.encode(text) == copied.encode(text) == tok.encode(text)
        assert opened.encode_spans(text) == tok.encode_spans(text)


@pytest.mark.parametrize("suffix", ["model", "tiktoken"])
def test_formats_without_merges_refuse_them(suffix: str, tmp_path: Path) -> None:
    symbols = "bytes" if suffix == "tiktoken" else "characters"
    made = drawn(3, symbols=symbols, splitter=None, whole_chunks=False)
    with pytest.raises(ap.FormatError) as error:
        ap.Tokenizer(made).save(tmp_path / f"made.{suffix}")
    assert error.value.code == "format-unwritable"


@pytest.mark.parametrize("length", range(2, 36))
def test_a_merge_is_checked_whatever_its_length(length: int) -> None:
    """Short pieces are compared in one go, long ones and the last of the vocabulary byte by byte."""
    whole = "".join(chr(0x61 + place % 26) for place in range(length))
    for cut in {1, length // 2, length - 1}:
        left, right = whole[:cut], whole[cut:]
        others = [whole[:-1] + "!", whole + "!", "!" + whole[1:]]
        names = list(dict.fromkeys([left, right, whole, *others]))
        for tail in ([], ["z" * 40]):
            rows = [("<unk>", 0.0, Kind.UNKNOWN), *((name, 0.0, Kind.NORMAL) for name in [*names, *tail])]
            ids = {name: id for id, (name, _, _) in enumerate(rows)}
            made = Spec(Pieces.of(rows), "bpe", merges=np.array([[ids[left], ids[right], ids[whole]]]), **OFF)
            assert ap.Tokenizer(made).vocab_size == len(rows)
            for other in others:
                with pytest.raises(ap.SpecError) as caught:
                    ap.Tokenizer(made.replace(merges=np.array([[ids[left], ids[right], ids[other]]])))
                assert caught.value.code == "spec-merges"
