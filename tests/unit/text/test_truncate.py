"""Counting and cutting: each prefix and each part has the tokens that its own encoding has."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece.errors import InputTypeError
from tests.support.charsmap_builder import build
from tests.support.small_tokenizers import ALL, BYTE_TOK, RAW, TEXTS, TOK, code_of
from tests.support.small_vocabularies import UNIGRAM


class TestCountAndCut:
    @given(TEXTS, st.integers(0, 12))
    def test_limit(self, text: str, limit: int) -> None:
        for tok in ALL:
            assert tok.count(text, limit) == min(tok.count(text), limit + 1)
            assert tok.count(text, limit, add_special=True) == min(tok.count(text) + 2, limit + 1)

    @given(TEXTS, st.integers(0, 6))
    def test_truncate_is_the_longest_prefix_that_fits(self, text: str, n: int) -> None:
        for tok in ALL:
            best = max((end for end in range(len(text) + 1) if tok.count(text[:end]) <= n), default=0)
            assert tok.truncate(text, n) == text[:best]

    @given(st.text(st.sampled_from("abc é日"), min_size=1, max_size=6), st.integers(20, 80), st.integers(0, 9))
    def test_truncate_looks_far_enough(self, text: str, times: int, n: int) -> None:
        for tok in ALL:
            long = text * times
            best = max(end for end in range(len(long) + 1) if tok.count(long[:end], n) <= n)
            assert tok.truncate(long, n) == long[:best]

    @given(RAW, st.integers(0, 6))
    def test_truncate_bytes(self, raw: bytes, n: int) -> None:
        kept = BYTE_TOK.truncate(raw, n)
        assert raw.startswith(kept)
        assert BYTE_TOK.count(kept) <= n

    @given(TEXTS, st.integers(6, 12))
    def test_split_without_overlap_is_the_text(self, text: str, n: int) -> None:
        for tok in ALL:
            parts = tok.split(text, n)
            assert "".join(parts) == text
            assert all(tok.count(part) <= n for part in parts)

    @given(st.permutations("ab é日本語🦊cdefgh"), st.integers(6, 9), st.integers(0, 5))
    def test_split_with_overlap_covers_the_text(self, characters: list[str], n: int, overlap: int) -> None:
        text = "".join(characters)  # no character occurs twice, so each part has one place
        for tok in ALL:
            parts = tok.split(text, n, overlap)
            starts = [text.index(part) for part in parts]
            ends = [start + len(part) for start, part in zip(starts, parts, strict=True)]
            assert (starts[0], ends[-1]) == (0, len(text))
            assert all(start <= end < later for start, end, later in zip(starts[1:], ends, ends[1:], strict=False))
            assert all(tok.count(part) <= n for part in parts)

    def test_overlap_in_tokens(self) -> None:
        assert TOK.split("a ab a ab a", 3) == ["a ab a ", "ab a"]  # a space at the end costs nothing
        assert TOK.split("a ab a ab a", 3, overlap=1) == ["a ab a ", " a ab a"]
        assert TOK.split(b"a ab a ab a", 3, overlap=1) == [b"a ab a ", b" a ab a"]
        assert TOK.split("", 3) == []

    def test_a_character_that_does_not_fit(self) -> None:
        with pytest.raises(ap.InputError, match="needs 4 tokens, more than n=3") as error:
            BYTE_TOK.split("a a 日", 3)
        assert code_of(error) == "argument-value"

    def test_arguments(self) -> None:
        for call in (
            lambda: TOK.split("a", 0),
            lambda: TOK.split("a", 2, 2),
            lambda: TOK.truncate("a", -1),
            lambda: TOK.count("a", -1),
        ):
            with pytest.raises(ap.InputError) as error:
                call()
            assert code_of(error) == "argument-value"
        with pytest.raises(InputTypeError):
            TOK.truncate("a", 1.5)  # type: ignore[arg-type]

    def test_a_long_text_is_split_in_linear_time(self) -> None:
        text = "ab é " * 20_000
        parts = TOK.split(text, 64)
        assert "".join(parts) == text
        assert len(parts) < 2500


def longest(tok: ap.Tokenizer, text: str, n: int) -> str:
    return text[: max(end for end in range(len(text) + 1) if tok.count(text[:end]) <= n)]


@pytest.mark.parametrize("fallback", [True, False])
@pytest.mark.parametrize("squeeze", [True, False])
def test_long_words_of_merges(squeeze: bool, fallback: bool) -> None:
    """Counts of all prefixes from one pass: with symbols that are not merged, and pieces that are taken apart again."""
    normal, kinds = ["a", "b", "aa", "ab", "bb", "aab", "a" * 300], {"bb": ap.Kind.UNUSED, "cc": ap.Kind.USER_DEFINED}
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("cc", 0.0, ap.Kind.USER_DEFINED)]
    rows += [(name, -float(place), kinds.get(name, ap.Kind.NORMAL)) for place, name in enumerate(normal)]
    rows += [(f"<0x{byte:02X}>", 0.0, ap.Kind.BYTE) for byte in range(256) if fallback]
    spec = ap.Spec(ap.Pieces.of(rows), segmenter="bpe", byte_fallback=fallback, remove_extra_whitespaces=squeeze)
    tok, random = ap.Tokenizer(spec), Random(3)
    for letters in ("a", "aaab", "ab", "aabb ", "abx", "abc"):
        text = "".join(random.choices(letters, k=420))
        for n in random.sample(range(tok.count(text) + 1), 6):
            assert tok.truncate(text, n) == longest(tok, text, n)


def test_a_damaged_map_whose_key_has_no_target() -> None:
    """Such a key hides the shorter one, so that a character becomes something else where the text ends behind it."""
    blob = build({"\t\t": "c", "\t": "a"})
    leaf = (0x80000000 | 1).to_bytes(4, "little")
    assert blob.count(leaf) == 1
    damaged = blob.replace(leaf, b"A\0\0\0")
    tok = ap.Tokenizer(UNIGRAM.replace(charsmap=damaged, remove_extra_whitespaces=False))
    assert tok.normalize("\t\t") != tok.normalize("\t") * 2
    text = "b\t\tbb\t\t\tb\tc\t"
    for n in range(tok.count(text) + 1):
        longest = max(end for end in range(len(text) + 1) if tok.count(text[:end]) <= n)
        assert tok.truncate(text, n) == text[:longest]
