"""Added tokens: found by the kernel as by the reference and by the library whose rule it is."""

from __future__ import annotations

import pickle
from pathlib import Path
from unicodedata import category

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

import anypiece as ap
from anypiece import Added, AddedFlag, Kind, Pieces, Spec
from anypiece._core.vocabulary import special_tokens
from anypiece.reference import ReferenceTokenizer
from anypiece.reference.specials import _is_word, parts
from tests.support.added_tokens import (
    FIRST,
    LSTRIP,
    RSTRIP,
    SPECIAL,
    WORD,
    any_rows,
    matchings,
    rows,
    texts,
    with_added,
)
from tests.support.small_vocabularies import RANKS


def expected(tok: ap.Tokenizer, text: str, permitted: set[int]) -> list[int]:
    plain = ap.Tokenizer(RANKS)
    ids: list[int] = []
    for part in parts(text, tok.spec.added, tok.spec.matching, permitted):
        ids += plain.encode(text[part.start : part.end]) if part.id is None else [part.id]
    return ids


@given(rows, texts, matchings)
def test_kernel_and_reference(listed: list[tuple[str, AddedFlag]], text: str, matching: str) -> None:
    tok = with_added(listed, matching)
    everything = set(special_tokens(tok).values())
    assert tok.encode(text, specials="parse") == expected(tok, text, everything)
    assert tok.encode(text) == expected(tok, text, set())


@given(rows, texts, matchings)
def test_the_reference_tokenizer(listed: list[tuple[str, AddedFlag]], text: str, matching: str) -> None:
    tok = with_added(listed, matching)
    found = ReferenceTokenizer(tok.spec).encode_spans(text, chars=True)
    assert [tuple(token) for token in found] == [tuple(token) for token in tok.encode_spans(text)]


@given(rows, texts, matchings)
def test_every_way_gives_the_same(listed: list[tuple[str, AddedFlag]], text: str, matching: str) -> None:
    tok = with_added(listed, matching)
    for specials in ("text", "parse"):
        ids = tok.encode(text, specials=specials)
        assert tok.encode_array(text, specials=specials).tolist() == ids
        assert tok.encode(text, specials=specials, threads=2) == ids
        assert tok.encode_batch([text, text], specials=specials).tolist() == [ids, ids]
        assert tok._kernel.encode_reference(text, specials == "parse") == ids
        assert tok.count(text, specials=specials) == len(ids)
        assert tok.count_batch([text], specials=specials).tolist() == [len(ids)]
        assert [token.id for token in tok.encode_spans(text, specials=specials)] == ids
        assert tok.count(text, 2, specials=specials) == min(len(ids), 3)


@given(any_rows, texts, matchings, st.integers(1, 5), st.sampled_from(["text", "parse"]))
def test_streams(listed: list[tuple[str, AddedFlag]], text: str, matching: str, size: int, specials: str) -> None:
    tok = with_added(listed, matching)
    stream = tok.stream_encoder(specials=specials)
    ids: list[int] = []
    for at in range(0, len(text), size):
        ids += stream.push(text[at : at + size])
    assert ids + stream.flush() == tok.encode(text, specials=specials)


@pytest.mark.parametrize("held", [LSTRIP, RSTRIP, WORD])
def test_streams_of_tokens_side_by_side(held: AddedFlag) -> None:
    test_streams.hypothesis.inner_test([("<a>", held)], "<a><a>", "leftmost-longest", 6, "text")


@given(any_rows, texts, matchings, st.integers(0, 9))
def test_truncate(listed: list[tuple[str, AddedFlag]], text: str, matching: str, n: int) -> None:
    tok = with_added(listed, matching)
    longest = max(end for end in range(len(text) + 1) if tok.count(text[:end]) <= n)
    assert tok.truncate(text, n) == text[:longest]


@given(rows, texts)
def test_as_tokenizers_finds_them(listed: list[tuple[str, AddedFlag]], text: str) -> None:
    tok = with_added(listed)
    theirs = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, unk_token="?"))
    for name, held in listed:
        kinds = {"lstrip": LSTRIP, "rstrip": RSTRIP, "single_word": WORD, "special": SPECIAL}
        options = {option: bool(held & flag) for option, flag in kinds.items()}
        add = theirs.add_special_tokens if held & SPECIAL else theirs.add_tokens
        add([tokenizers.AddedToken(name, normalized=False, **options)])
    for special in (False, True):
        theirs.encode_special_tokens = special
        try:
            encoding = theirs.encode(text, add_special_tokens=False)
        except BaseException as error:
            if "bad split" not in str(error):
                raise
            continue  # one that strips lies within white space that another took: the library panics
        names = [theirs.id_to_token(id) for id in encoding.ids]
        wanted = [(name, span) for name, span in zip(names, encoding.offsets, strict=True) if name != "?"]
        found = tok.encode_spans(text, specials="text" if special else "parse")
        ours = [(token.piece, (token.start, token.end)) for token in found if token.id >= FIRST]
        assert ours == wanted


@pytest.mark.parametrize("held", [LSTRIP | RSTRIP, LSTRIP | RSTRIP | SPECIAL, RSTRIP, LSTRIP, AddedFlag(0)])
@pytest.mark.parametrize("text", ["\n\n\n", "\n \n", "a\n\n b"])
def test_a_token_of_white_space_that_takes_white_space(held: AddedFlag, text: str) -> None:
    """What is left empty of a match is no token."""
    test_as_tokenizers_finds_them.hypothesis.inner_test([("\n", held)], text)
    test_kernel_and_reference.hypothesis.inner_test([("\n", held)], text, "leftmost-longest")


@given(rows, st.lists(st.tuples(texts, st.booleans()), max_size=5), matchings)
def test_what_is_not_trusted_is_text(
    listed: list[tuple[str, AddedFlag]], given_parts: list[tuple[str, bool]], matching: str
) -> None:
    tok = with_added(listed, matching)
    specials = set(special_tokens(tok).values())
    ids = tok.encode_trusted(given_parts)
    whole = "".join(text for text, _ in given_parts)
    if not any(trusted for text, trusted in given_parts if text):
        assert not specials & set(ids)
    if all(trusted for text, trusted in given_parts if text):
        assert ids == tok.encode(whole, specials="parse")


def test_what_others_write_cannot_complete_or_hide_a_token() -> None:
    tok = with_added([("<a>", SPECIAL), ("<a><b>", SPECIAL), ("<<", SPECIAL)])
    plain = ap.Tokenizer(RANKS)
    assert tok.encode_trusted([("<a", False), (">", True)]) == plain.encode("<a>")
    assert tok.encode_trusted([("<", False), ("<a>", True)]) == [*plain.encode("<"), FIRST]
    assert tok.encode_trusted([("<a>", True), ("<b>", False)]) == [FIRST, *plain.encode("<b>")]
    assert tok.encode_trusted([("<a>", True), ("<b>", True)]) == [FIRST + 1]
    assert tok.encode_trusted([("\ud800", True), ("<a>", True)])[-1] == FIRST
    assert tok.encode_trusted([], add_special=True) == [269, 270]
    for wrong in (["x"], ["ab"], [("a", "b")], [("a",)], "ab", [5]):
        with pytest.raises(ap.InputError, match="A part is a text and whether it is trusted"):
            tok.encode_trusted(wrong)  # type: ignore[arg-type]


def test_many_added_tokens() -> None:
    tok = with_added([(f"<extra_{index}>", SPECIAL) for index in range(20_000)])
    text = "the <extra_5><extra_19999> <extra_20000>"
    ids = tok.encode(text, specials="parse")
    assert [id for id in ids if id >= FIRST] == [FIRST + 5, FIRST + 19_999]
    assert tok.encode(text) == ap.Tokenizer(RANKS).encode(text)


def test_a_fragment_is_not_parted_again() -> None:
    """What touched a fragment in its text still decides: here a letter that is an added token itself."""
    tok = with_added([("é", AddedFlag(0)), ("ab", WORD), ("日本", AddedFlag.NORMALIZED)])
    text = "éab 日本 ab"
    ids = tok.encode(text)
    assert [id for id in ids if id >= FIRST] == [FIRST, FIRST + 2, FIRST + 1]
    stream = tok.stream_encoder()
    assert [id for character in text for id in stream.push(character)] + stream.flush() == ids
    for n in range(len(ids) + 1):
        longest = max(end for end in range(len(text) + 1) if tok.count(text[:end]) <= n)
        assert tok.truncate(text, n) == text[:longest]


def test_nested_tokens_in_a_long_text() -> None:
    """Runs of one character that are added tokens of every length: time and memory follow the text, not their number."""
    tok = with_added([(" " * size, AddedFlag(0)) for size in range(1, 65)], "longest-first")
    ids = tok.encode(" " * (1 << 20) + "a")
    assert ids[:-1] == [FIRST + 63] * (1 << 14)
    assert tok.encode(" " * 100) == [FIRST + 63, FIRST + 35]


def test_survives_every_file_and_pickle(tmp_path: Path) -> None:
    tok = with_added([("<a>", SPECIAL | LSTRIP), ("ab", WORD)], "longest-first")
    path = tmp_path / "x.anypiece"
    tok.save(path)
    for other in (ap.load(path), pickle.loads(pickle.dumps(tok))):
        assert other == tok
        assert other.encode("the  <a> ab", specials="parse") == tok.encode("the  <a> ab", specials="parse")


class TestNormalized:
    """Tokens that are looked for in normalized text."""

    ROWS = (("<unk>", 0.0, Kind.UNKNOWN), ("▁", -2.0, Kind.NORMAL), ("a", -2.0, Kind.NORMAL), ("▁a", -1.0, Kind.NORMAL))

    def tok(self) -> ap.Tokenizer:
        pieces = Pieces.of([*self.ROWS, ("A B", 0.0, Kind.USER_DEFINED)])
        added = Added.of([("A B", 4, AddedFlag.NORMALIZED)])
        spec = ap.Spec(pieces, added=added, remove_extra_whitespaces=False, add_dummy_prefix=False)
        return ap.Tokenizer(spec)

    def test_found_by_its_normalized_form(self) -> None:
        tok = self.tok()
        assert tok.encode("aA Ba") == [2, 4, 2]
        assert tok.encode("aA▁Ba") == [2, 4, 2]
        assert [(token.start, token.end) for token in tok.encode_spans("aA Ba")] == [(0, 1), (1, 4), (4, 5)]

    @given(st.text("aAB ▁é", max_size=12))
    def test_the_reference_tokenizer(self, text: str) -> None:
        tok = self.tok()
        found = ReferenceTokenizer(tok.spec).encode_spans(text, chars=True)
        assert [tuple(token) for token in found] == [tuple(token) for token in tok.encode_spans(text)]

    @given(st.text("aAB ▁", max_size=12), st.integers(1, 3))
    def test_streams(self, text: str, size: int) -> None:
        tok = self.tok()
        stream = tok.stream_encoder()
        ids = [id for at in range(0, len(text), size) for id in stream.push(text[at : at + size])]
        assert ids + stream.flush() == tok.encode(text)


@pytest.mark.parametrize(
    "added",
    [
        Added.of([("", 0, 0)]),
        Added.of([("a", 10**6, 0)]),
        Added.of([("a", 0, 32)]),
        Added.of([("a", 0, 0), ("a", 1, 0)]),
        Added(b"a", np.array([0, 1], np.uint32), np.array([0], np.uint32)),
    ],
)
def test_refused(added: Added) -> None:
    with pytest.raises(ap.SpecError) as error:
        ap.Tokenizer(RANKS.replace(added=added))
    assert error.value.code == "spec-added"


def test_characters_of_words_are_those_of_unicode() -> None:
    """The kernel and the reference agree on every character that this Python knows; and on some by hand."""
    rows = [("<unk>", 0.0, Kind.UNKNOWN), ("<m>", 0.0, Kind.USER_DEFINED)]
    spec = Spec(Pieces.of(rows), added=Added.of([("<m>", 1, AddedFlag.SINGLE_WORD)]))
    assert {character: _is_word(character) for character in "aé1_\u0301\u200dⒶ½²-\u00a0"} == (
        dict.fromkeys("aé1_\u0301\u200dⒶ", True) | dict.fromkeys("½²-\u00a0", False)
    )
    known = [chr(code) for code in range(0x110000) if category(chr(code)) not in ("Cn", "Cs", "Co")]
    batch = ap.Tokenizer(spec).encode_batch([f"{character}<m>" for character in known])
    assert [1 in ids for ids in batch] == [not _is_word(character) for character in known]
